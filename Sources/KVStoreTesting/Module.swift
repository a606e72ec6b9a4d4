import KVStore
