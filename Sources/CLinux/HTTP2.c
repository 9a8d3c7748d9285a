#include "CLinuxHTTP2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// The called functions of nghttp2, declared here because its header is not needed to build. They have been the same in every
// libnghttp2.so.14: the calls that this uses have ssize_t and a data provider of one union and one function.
typedef struct nghttp2_session nghttp2_session;
typedef struct nghttp2_session_callbacks nghttp2_session_callbacks;
typedef struct nghttp2_option nghttp2_option;

// The beginning of every frame of the union nghttp2_frame.
typedef struct {
    size_t length;
    int32_t stream_id;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
} nghttp2_frame;

typedef union {
    int fd;
    void *ptr;
} nghttp2_data_source;

typedef ssize_t (*nghttp2_read)(nghttp2_session *, int32_t, uint8_t *, size_t, uint32_t *, nghttp2_data_source *, void *);

typedef struct {
    nghttp2_data_source source;
    nghttp2_read read_callback;
} nghttp2_data_provider;

typedef struct {
    int age;
    int version_num;
    const char *version_str;
    const char *proto_str;
} nghttp2_info;

typedef int (*frame_callback)(nghttp2_session *, const nghttp2_frame *, void *);
typedef int (*header_callback)(
    nghttp2_session *, const nghttp2_frame *, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t, void *);
typedef int (*chunk_callback)(nghttp2_session *, uint8_t, int32_t, const uint8_t *, size_t, void *);
typedef int (*close_callback)(nghttp2_session *, int32_t, uint32_t, void *);
typedef int (*send_callback)(nghttp2_session *, nghttp2_frame *, const uint8_t *, size_t, nghttp2_data_source *, void *);

enum { FRAME_DATA = 0, FRAME_HEADERS = 1, FRAME_RST_STREAM = 3, FLAG_END_STREAM = 1, DATA_EOF = 1, DATA_NO_COPY = 4 };
enum { ERROR_WOULD_BLOCK = -504, ERROR_DEFERRED = -508, ERROR_CALLBACK_FAILURE = -902 };

static struct {
    nghttp2_info *(*version)(int);
    int (*session_callbacks_new)(nghttp2_session_callbacks **);
    void (*session_callbacks_set_on_begin_headers_callback)(nghttp2_session_callbacks *, frame_callback);
    void (*session_callbacks_set_on_header_callback)(nghttp2_session_callbacks *, header_callback);
    void (*session_callbacks_set_on_invalid_header_callback)(nghttp2_session_callbacks *, header_callback);
    void (*session_callbacks_set_on_frame_send_callback)(nghttp2_session_callbacks *, frame_callback);
    void (*session_callbacks_set_on_frame_recv_callback)(nghttp2_session_callbacks *, frame_callback);
    void (*session_callbacks_set_on_data_chunk_recv_callback)(nghttp2_session_callbacks *, chunk_callback);
    void (*session_callbacks_set_on_stream_close_callback)(nghttp2_session_callbacks *, close_callback);
    void (*session_callbacks_set_send_data_callback)(nghttp2_session_callbacks *, send_callback);
    int (*option_new)(nghttp2_option **);
    void (*option_set_no_closed_streams)(nghttp2_option *, int);
    void (*option_set_max_outbound_ack)(nghttp2_option *, size_t);
    int (*session_server_new2)(nghttp2_session **, const nghttp2_session_callbacks *, void *, const nghttp2_option *);
    void (*session_del)(nghttp2_session *);
    ssize_t (*session_mem_recv)(nghttp2_session *, const uint8_t *, size_t);
    ssize_t (*session_mem_send)(nghttp2_session *, const uint8_t **);
    int (*session_want_read)(nghttp2_session *);
    int (*session_want_write)(nghttp2_session *);
    int (*submit_settings)(nghttp2_session *, uint8_t, const clinux_http2_setting *, size_t);
    int32_t (*submit_headers)(nghttp2_session *, uint8_t, int32_t, const void *, const clinux_http2_field *, size_t, void *);
    int (*submit_response)(
        nghttp2_session *, int32_t, const clinux_http2_field *, size_t, const nghttp2_data_provider *);
    int (*submit_rst_stream)(nghttp2_session *, uint8_t, int32_t, uint32_t);
    int (*submit_goaway)(nghttp2_session *, uint8_t, int32_t, uint32_t, const uint8_t *, size_t);
    int (*submit_shutdown_notice)(nghttp2_session *);
    int (*session_resume_data)(nghttp2_session *, int32_t);
    int (*session_terminate_session)(nghttp2_session *, uint32_t);
    int32_t (*session_get_last_proc_stream_id)(nghttp2_session *);
    int32_t (*session_get_stream_remote_window_size)(nghttp2_session *, int32_t);
} nghttp2;

// The same for all sessions, and never freed.
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static int is_loaded;

struct clinux_http2_session {
    nghttp2_session *session;
    clinux_http2_events events;
    void *owner;
};

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    clinux_http2_session *own = data;
    own->events.head_began(own->owner, frame->stream_id);
    return 0;
}

static int on_header(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_count, const uint8_t *value,
    size_t value_count, uint8_t flags, void *data) {
    clinux_http2_session *own = data;
    int result = own->events.field(own->owner, name, name_count, value, value_count);
    return result == 0 ? 0 : ERROR_CALLBACK_FAILURE;
}

static int on_frame_recv(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    clinux_http2_session *own = data;
    int is_last = (frame->flags & FLAG_END_STREAM) != 0;
    if (frame->type == FRAME_HEADERS) {
        own->events.head_ended(own->owner, frame->stream_id, is_last);
    } else if (frame->type == FRAME_DATA && is_last) {
        own->events.content_ended(own->owner, frame->stream_id);
    }
    return 0;
}

static int on_frame_send(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    clinux_http2_session *own = data;
    if (frame->type == FRAME_RST_STREAM) own->events.reset_made(own->owner, frame->stream_id);
    return 0;
}

static int on_data_chunk(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *data) {
    clinux_http2_session *own = data;
    own->events.content(own->owner, stream, bytes, count);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t code, void *data) {
    clinux_http2_session *own = data;
    own->events.closed(own->owner, stream, code);
    return 0;
}

// Nothing is copied into nghttp2's buffer: `on_send_data` takes the content from where it lies.
static ssize_t on_read(
    nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room, uint32_t *flags, nghttp2_data_source *source,
    void *data) {
    clinux_http2_session *own = data;
    int is_last = 0;
    ptrdiff_t count = own->events.available(source->ptr, room, &is_last);
    if (count < 0) return ERROR_DEFERRED;
    *flags |= DATA_NO_COPY | (is_last ? DATA_EOF : 0);
    return count;
}

static int on_send_data(
    nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head, size_t count, nghttp2_data_source *source,
    void *data) {
    clinux_http2_session *own = data;
    return own->events.take(source->ptr, head, count) == 0 ? 0 : ERROR_WOULD_BLOCK;
}

static int find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static int find_all(void *library) {
#define FIND(name) find(library, "nghttp2_" #name, &nghttp2.name)
    return FIND(version) && FIND(session_callbacks_new) && FIND(session_callbacks_set_on_begin_headers_callback) &&
           FIND(session_callbacks_set_on_header_callback) && FIND(session_callbacks_set_on_invalid_header_callback) &&
           FIND(session_callbacks_set_on_frame_send_callback) && FIND(session_callbacks_set_on_frame_recv_callback) &&
           FIND(session_callbacks_set_on_data_chunk_recv_callback) &&
           FIND(session_callbacks_set_on_stream_close_callback) && FIND(session_callbacks_set_send_data_callback) &&
           FIND(option_new) && FIND(option_set_no_closed_streams) && FIND(option_set_max_outbound_ack) &&
           FIND(session_server_new2) && FIND(session_del) && FIND(session_mem_recv) && FIND(session_mem_send) &&
           FIND(session_want_read) && FIND(session_want_write) && FIND(submit_settings) && FIND(submit_headers) &&
           FIND(submit_response) && FIND(submit_rst_stream) && FIND(submit_goaway) && FIND(submit_shutdown_notice) &&
           FIND(session_resume_data) && FIND(session_terminate_session) && FIND(session_get_last_proc_stream_id) &&
           FIND(session_get_stream_remote_window_size);
#undef FIND
}

// Acknowledgements that may wait to be sent: a client that asks for more of them than that does not read.
enum { MOST_ACKNOWLEDGEMENTS = 128 };

static void load(void) {
    void *library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !find_all(library)) return;
    if (nghttp2.session_callbacks_new(&callbacks) != 0 || nghttp2.option_new(&options) != 0) return;
    nghttp2.session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2.session_callbacks_set_on_header_callback(callbacks, on_header);
    // By itself the library would leave a malformed field out and let the request pass.
    nghttp2.session_callbacks_set_on_invalid_header_callback(callbacks, on_header);
    nghttp2.session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
    nghttp2.session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
    nghttp2.session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
    nghttp2.session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2.session_callbacks_set_send_data_callback(callbacks, on_send_data);
    nghttp2.option_set_no_closed_streams(options, 1);
    nghttp2.option_set_max_outbound_ack(options, MOST_ACKNOWLEDGEMENTS);
    is_loaded = 1;
}

int clinux_http2_load(void) {
    pthread_once(&loading, load);
    return is_loaded ? 0 : -1;
}

const char *clinux_http2_version(void) {
    return clinux_http2_load() == 0 ? nghttp2.version(0)->version_str : NULL;
}

clinux_http2_session *clinux_http2_new(
    const clinux_http2_events *events, void *owner, const clinux_http2_setting *settings, size_t setting_count) {
    if (clinux_http2_load() != 0) return NULL;
    clinux_http2_session *own = calloc(1, sizeof *own);
    if (own == NULL) return NULL;
    own->events = *events;
    own->owner = owner;
    if (nghttp2.session_server_new2(&own->session, callbacks, own, options) != 0) {
        free(own);
        return NULL;
    }
    if (nghttp2.submit_settings(own->session, 0, settings, setting_count) != 0) {
        clinux_http2_free(own);
        return NULL;
    }
    return own;
}

void clinux_http2_free(clinux_http2_session *own) {
    nghttp2.session_del(own->session);
    free(own);
}

int clinux_http2_read(clinux_http2_session *own, const uint8_t *bytes, size_t count) {
    return (size_t)nghttp2.session_mem_recv(own->session, bytes, count) == count ? 0 : -1;
}

ptrdiff_t clinux_http2_next(clinux_http2_session *own, const uint8_t **bytes) {
    return nghttp2.session_mem_send(own->session, bytes);
}

int clinux_http2_is_over(clinux_http2_session *own) {
    return !nghttp2.session_want_read(own->session) && !nghttp2.session_want_write(own->session);
}

int clinux_http2_hint(clinux_http2_session *own, int32_t stream, const clinux_http2_field *fields, size_t count) {
    return nghttp2.submit_headers(own->session, 0, stream, NULL, fields, count, NULL);
}

int clinux_http2_answer(
    clinux_http2_session *own, int32_t stream, const clinux_http2_field *fields, size_t count, void *source) {
    nghttp2_data_provider provider = {.source = {.ptr = source}, .read_callback = on_read};
    return nghttp2.submit_response(own->session, stream, fields, count, source == NULL ? NULL : &provider);
}

void clinux_http2_resume(clinux_http2_session *own, int32_t stream) {
    nghttp2.session_resume_data(own->session, stream);
}

void clinux_http2_reset(clinux_http2_session *own, int32_t stream, uint32_t code) {
    nghttp2.submit_rst_stream(own->session, 0, stream, code);
}

int clinux_http2_is_shut(clinux_http2_session *own, int32_t stream) {
    return nghttp2.session_get_stream_remote_window_size(own->session, stream) <= 0;
}

void clinux_http2_say_goodbye(clinux_http2_session *own, int is_final) {
    if (!is_final) {
        nghttp2.submit_shutdown_notice(own->session);
    } else {
        nghttp2.submit_goaway(own->session, 0, nghttp2.session_get_last_proc_stream_id(own->session), 0, NULL, 0);
    }
}

void clinux_http2_terminate(clinux_http2_session *own, uint32_t code) {
    nghttp2.session_terminate_session(own->session, code);
}
