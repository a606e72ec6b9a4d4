// A stand-in for the C library of Apple platforms: with a module of this name, `canImport(Darwin)` is
// true. It passes on the library that is there.

@_exported public import Glibc
