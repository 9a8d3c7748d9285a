// _GNU_SOURCE lives here and in no header: in a header it clashes with OpenSSL's module.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <limits.h>
#include <linux/inet_diag.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_peer_user(int connection, uint32_t *user) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid == (uid_t)-1) return -1;
    *user = peer.uid;
    return 0;
}

// Asks for one socket, not for the table, so the answer costs the same however many there are.
int clinux_tcp_user(int is_ipv6, const void *local, uint16_t local_port, const void *remote, uint16_t remote_port, uint32_t *user) {
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } question = {
        .head = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {
            .sdiag_family = is_ipv6 ? AF_INET6 : AF_INET,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0U,
            .id = {.idiag_sport = htons(local_port), .idiag_dport = htons(remote_port),
                   .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
        },
    };
    size_t length = is_ipv6 ? 16 : 4;
    memcpy(question.body.id.idiag_src, local, length);
    memcpy(question.body.id.idiag_dst, remote, length);
    int kernel = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (kernel < 0) return -1;
    union {
        struct nlmsghdr head;
        char bytes[1024];
    } answer;
    ssize_t count = -1;
    // The kernel answers within the call, so an answer that is not there will not come.
    if (send(kernel, &question, sizeof question, 0) == (ssize_t)sizeof question)
        count = recv(kernel, &answer, sizeof answer, MSG_DONTWAIT);
    close(kernel);
    if (count < (ssize_t)NLMSG_HDRLEN) return -1;
    const void *body = NLMSG_DATA(&answer.head);
    if (answer.head.nlmsg_type == NLMSG_ERROR && count >= (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)))
        return ((const struct nlmsgerr *)body)->error == -ENOENT ? 0 : -1;
    if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || count < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return -1;
    const struct inet_diag_msg *found = body;
    // Without a connection the kernel may give the socket that listens there.
    if (found->id.idiag_sport != htons(local_port) || found->id.idiag_dport != htons(remote_port)) return 0;
    if (found->idiag_state != TCP_ESTABLISHED || found->idiag_inode == 0) return 2;
    *user = found->idiag_uid;
    return 1;
}

int clinux_peer_process(int connection) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}

int clinux_open_process(int process) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    (void)process;
    return -1;
#endif
}

const char *clinux_started_as(void) {
    return (const char *)getauxval(AT_EXECFN);
}

char **clinux_environment(void) {
    return environ;
}

int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#endif
#endif
    (void)actions;
    (void)first;
    return 0;
}

int clinux_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int clinux_terminal_lines(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

int clinux_sealed_file(const void *bytes, size_t count) {
    int file = memfd_create("refrain", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    size_t written = 0;
    while (written < count) {
        ssize_t result = write(file, (const char *)bytes + written, count - written);
        if (result < 0 && errno == EINTR) continue;
        if (result <= 0) break;
        written += (size_t)result;
    }
    if (written == count && fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0) return file;
    close(file);
    return -1;
}

int clinux_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int clinux_has_access_list(int descriptor, const char *name) {
    static const char attribute[] = "system.posix_acl_access";
    ssize_t size;
    if (name) {
        char path[NAME_MAX + 64];
        if (snprintf(path, sizeof path, "/proc/self/fd/%d/%s", descriptor, name) >= (int)sizeof path) return 1;
        size = lgetxattr(path, attribute, NULL, 0);
    } else {
        size = fgetxattr(descriptor, attribute, NULL, 0);
    }
    return size >= 0 || (errno != ENODATA && errno != ENOTSUP);
}

int clinux_is_proc(int folder) {
    struct statfs system;
    return fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

ptrdiff_t clinux_find(const void *bytes, size_t count, const void *word, size_t word_count) {
    const char *found = memmem(bytes, count, word, word_count);
    return found == NULL ? -1 : found - (const char *)bytes;
}
