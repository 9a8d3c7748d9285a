// _GNU_SOURCE lives here and in no header: in a header it clashes with OpenSSL's module.
#define _GNU_SOURCE
#include "CLinux.h"

#include <string.h>
#include <sys/random.h>

int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

const void *clinux_memmem(const void *haystack, size_t count, const void *needle, size_t needle_count) {
    return memmem(haystack, count, needle, needle_count);
}

int clinux_getrandom(void *bytes, size_t count) {
    return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1;
}
