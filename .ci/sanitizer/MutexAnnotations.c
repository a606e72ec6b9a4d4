// Lets the thread sanitizer see what Synchronization.Mutex does when it is contended.
//
// On Linux a contended Mutex is taken and given up by the kernel (FUTEX_LOCK_PI and
// FUTEX_UNLOCK_PI), inside a library that is not instrumented. The sanitizer then misses that one
// holder comes after another and reports a race for correct code; a dictionary behind a Mutex on
// two threads is enough. Loaded before the program, this tells it: giving up releases, taking
// acquires. Races outside a Mutex are reported as ever.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

// The mangled names of _MutexHandle's methods; the handle comes in the register for `self`.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

typedef SWIFT void (*Lock)(uint32_t thread, SELF);
typedef SWIFT _Bool (*TryLock)(SELF);
typedef SWIFT void (*Unlock)(SELF);

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void lock(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void lock(uint32_t thread, SELF handle) {
    ((Lock)original(LOCK))(thread, handle);
    __tsan_acquire(handle);
}

SWIFT _Bool tryLock(SELF handle) __asm__(TRY_LOCK);
SWIFT _Bool tryLock(SELF handle) {
    _Bool isLocked = ((TryLock)original(TRY_LOCK))(handle);
    if (isLocked) __tsan_acquire(handle);
    return isLocked;
}

SWIFT void unlock(SELF handle) __asm__(UNLOCK);
SWIFT void unlock(SELF handle) {
    __tsan_release(handle);
    ((Unlock)original(UNLOCK))(handle);
}
