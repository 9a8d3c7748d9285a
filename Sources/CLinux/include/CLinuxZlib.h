// zlib, loaded when it is first wanted: a program that is linked to it would not start where it is absent.
#ifndef REFRAIN_CLINUX_ZLIB_H
#define REFRAIN_CLINUX_ZLIB_H

#include <stddef.h>

/// 0 where libz.so.1 is there with all that is called of it, otherwise -1. Any thread; the first call loads it for good.
int clinux_zlib_load(void);

/// Inflates `coded`, which has to be one whole gzip stream (RFC 1952) and nothing behind it, into exactly `count` bytes; 0,
/// or -1 where it is anything else. Writes nowhere else, whatever it is given.
int clinux_gunzip(const void *coded, size_t coded_count, void *bytes, size_t count);

/// Deflates `count` bytes into one gzip stream; its length, or 0 where it would not fit into `room` bytes.
size_t clinux_gzip(const void *bytes, size_t count, void *coded, size_t room, int level);

#endif
