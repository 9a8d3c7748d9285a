// The parts of Linux that Swift's Glibc module leaves out.
#ifndef REFRAIN_CLINUX_H
#define REFRAIN_CLINUX_H

#include "CLinuxHTTP2.h"
#include "CLinuxZlib.h"

#include <malloc.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <netinet/tcp.h>

/// accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC: one system call where accept and two fcntl would be three.
int clinux_accept4(int listener, struct sockaddr *address, socklen_t *length);

/// The user of the process that connected to a Unix socket (SO_PEERCRED); -1 where the kernel does not know one.
int clinux_peer_user(int connection, uint32_t *user);

/// The user of the open, connected TCP socket of this machine with these ends (sock_diag(7)): addresses of 4 or 16 bytes in network
/// order. 1: `user` is set; 0: there is no such socket; 2: it is not connected, or its process has let go of it; -1: the kernel
/// cannot be asked.
int clinux_tcp_user(int is_ipv6, const void *local, uint16_t local_port, const void *remote, uint16_t remote_port, uint32_t *user);

/// The process that made the other end of a connected pair of Unix sockets (SO_PEERCRED); 0 where the kernel does not know one.
int clinux_peer_process(int connection);

/// A descriptor of a process of this number (pidfd_open(2)), readable once it has ended; children do not inherit it. -1 where there
/// is none.
int clinux_open_process(int process);

/// The path by which this program was started (AT_EXECFN of getauxval(3)), as the caller of execve(2) wrote it; NULL where it is not told.
const char *clinux_started_as(void);

/// The variables of the environment, with NULL at the end. For a thread that knows that no other changes them.
char **clinux_environment(void);

/// Has a process that is to be started close all descriptors from `first` on, where the C library can: none of this program's is
/// meant for children, and this holds for those of libraries too. 0, or an error.
int clinux_close_from(posix_spawn_file_actions_t *actions, int first);

/// How many columns the terminal has that a descriptor leads to; 0 where it says nothing, or there is none.
int clinux_terminal_columns(int descriptor);

/// Lines of the terminal behind a descriptor; 0 where it is none or does not say.
int clinux_terminal_lines(int descriptor);

/// A descriptor of a file in memory (memfd_create(2)) that holds these bytes and can never change; -1 where there is none.
int clinux_sealed_file(const void *bytes, size_t count);

/// Makes the process one that is not dumped and whose memory others of its user cannot read (PR_SET_DUMPABLE); 0, or -1.
int clinux_forbid_dumps(void);

/// Whether an access list (acl(5)) says more about a file than its mode: of a name in a folder that is open, maybe with O_PATH, or of
/// the open file itself where `name` is NULL. Links are not followed. Not 0 where that cannot be told.
int clinux_has_access_list(int descriptor, const char *name);

/// Whether a descriptor, maybe with O_PATH, is of a folder of procfs, whose links lead to open files and not to names.
int clinux_is_proc(int folder);

/// Where these bytes have this word first (memmem(3)); -1 where they do not have it.
ptrdiff_t clinux_find(const void *bytes, size_t count, const void *word, size_t word_count);

#endif
