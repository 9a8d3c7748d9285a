#include "CLinuxZlib.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

// The called functions of zlib, declared here because its header is not needed to build. `z_stream` and these functions have been
// the same in every libz.so.1, and zlib compares the size of the struct itself.
typedef struct {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *, unsigned int, unsigned int);
    void (*release)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} z_stream;

enum { Z_FINISH = 4, Z_OK = 0, Z_STREAM_END = 1, Z_DEFLATED = 8, Z_DEFAULT_STRATEGY = 0 };

// The largest window, and 16: with the head and the trailer of gzip, whose checksum and length zlib compares.
enum { GZIP_WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 8 };

// Only the first digit is compared.
static const char version[] = "1.2";

static struct {
    int (*inflateInit2_)(z_stream *, int, const char *, int);
    int (*inflate)(z_stream *, int);
    int (*inflateEnd)(z_stream *);
    int (*deflateInit2_)(z_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(z_stream *, int);
    int (*deflateEnd)(z_stream *);
} zlib;

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static int is_loaded;

static int find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static void load(void) {
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    is_loaded = find(library, "inflateInit2_", &zlib.inflateInit2_) && find(library, "inflate", &zlib.inflate) &&
                find(library, "inflateEnd", &zlib.inflateEnd) && find(library, "deflateInit2_", &zlib.deflateInit2_) &&
                find(library, "deflate", &zlib.deflate) && find(library, "deflateEnd", &zlib.deflateEnd);
}

int clinux_zlib_load(void) {
    pthread_once(&loading, load);
    return is_loaded ? 0 : -1;
}

static z_stream stream(const void *in, size_t in_count, void *out, size_t out_count) {
    z_stream stream = {.next_in = in, .avail_in = (unsigned int)in_count, .next_out = out, .avail_out = (unsigned int)out_count};
    return stream;
}

int clinux_gunzip(const void *coded, size_t coded_count, void *bytes, size_t count) {
    if (clinux_zlib_load() != 0 || coded_count > UINT_MAX || count > UINT_MAX) return -1;
    z_stream s = stream(coded, coded_count, bytes, count);
    if (zlib.inflateInit2_(&s, GZIP_WINDOW_BITS, version, sizeof s) != Z_OK) return -1;
    int result = zlib.inflate(&s, Z_FINISH);
    int is_whole = result == Z_STREAM_END && s.avail_in == 0 && s.avail_out == 0;
    zlib.inflateEnd(&s);
    return is_whole ? 0 : -1;
}

size_t clinux_gzip(const void *bytes, size_t count, void *coded, size_t room, int level) {
    if (clinux_zlib_load() != 0 || count > UINT_MAX || room > UINT_MAX) return 0;
    z_stream s = stream(bytes, count, coded, room);
    if (zlib.deflateInit2_(&s, level, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY, version, sizeof s) != Z_OK) return 0;
    int result = zlib.deflate(&s, Z_FINISH);
    size_t written = room - s.avail_out;
    zlib.deflateEnd(&s);
    return result == Z_STREAM_END ? written : 0;
}
