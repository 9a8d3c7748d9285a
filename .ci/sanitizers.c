/* What `make test-asan` and `make test-tsan` link into the programs that they build: options, which so reach children
 * with an environment of their own too, and what the thread sanitizer has to be told of Swift's Mutex. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(SANITIZER_address)

/* Leaks are not looked for: the leak checker stops its own process with ptrace, which one that nobody may read refuses
 * (ProcessSecrecy), and does not see pointers that only the kernel has (epoll). */
const char *__asan_default_options(void) {
    return "detect_leaks=0:strict_string_checks=1:log_path=" REPORTS;
}

#elif defined(SANITIZER_thread)

/* A report does not end the program or change its status: tests look at both. The make target counts the reports. */
const char *__tsan_default_options(void) {
    return "halt_on_error=0:exitcode=0:log_path=" REPORTS;
}

/* A Mutex that meets no other thread locks and unlocks by atomics in the program's own code, which the sanitizer sees.
 * Where threads do meet, the slow ways are in libswiftSynchronization, which is not instrumented: the one who waited
 * then seems to race with the one it waited for. These stand before that library's own and say what happens. */

extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void refrain_lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT bool refrain_try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT void refrain_unlock_slow(SELF) __asm__(UNLOCK_SLOW);

static void *following(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    return symbol;
}

SWIFT void refrain_lock_slow(uint32_t thread, SELF) {
    SWIFT void (*lock)(uint32_t, SELF) = following(LOCK_SLOW);
    lock(thread, self);
    __tsan_acquire(self);
}

SWIFT bool refrain_try_lock_slow(SELF) {
    SWIFT bool (*try_lock)(SELF) = following(TRY_LOCK_SLOW);
    bool is_locked = try_lock(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}

SWIFT void refrain_unlock_slow(SELF) {
    SWIFT void (*unlock)(SELF) = following(UNLOCK_SLOW);
    __tsan_release(self);
    unlock(self);
}

#endif
