// The core must not bring libFoundation into a program; what this links is checked.

import KVStore

let store = InMemoryKVStore()
let launches = KVDefaultKey("launches", default: 0)
try store.update(launches) { $0 += 1 }
print("launches: \(store[launches])")
