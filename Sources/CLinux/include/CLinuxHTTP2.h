// nghttp2 as one server session needs it, loaded when it is first wanted: a program that is linked to it would not start where
// it is absent.
#ifndef REFRAIN_CLINUX_HTTP2_H
#define REFRAIN_CLINUX_HTTP2_H

#include <stddef.h>
#include <stdint.h>

/// 0 where libnghttp2.so.14 is there with all that is called of it, otherwise -1. Any thread; the first call loads it for good.
int clinux_http2_load(void);

/// Its version, such as `1.52.0`; NULL where it is not there.
const char *clinux_http2_version(void);

/// A field of a head; nghttp2's own layout.
typedef struct {
    const uint8_t *name;
    const uint8_t *value;
    size_t name_count;
    size_t value_count;
    uint8_t flags;
} clinux_http2_field;

/// An entry of SETTINGS; nghttp2's own layout.
typedef struct {
    int32_t identifier;
    uint32_t value;
} clinux_http2_setting;

/// The callbacks of a session to its owner, on the thread that called it and from inside that call. None of these may call the session.
typedef struct {
    /// The fields of a head of this stream follow: of a request, or of trailers.
    void (*head_began)(void *owner, int32_t stream);
    /// Also one that the library finds malformed, which is to be judged here. -1 ends the connection.
    int (*field)(void *owner, const uint8_t *name, size_t name_count, const uint8_t *value, size_t value_count);
    /// The head is complete.
    void (*head_ended)(void *owner, int32_t stream, int is_last);
    /// Content of a request.
    void (*content)(void *owner, int32_t stream, const uint8_t *bytes, size_t count);
    /// The client has sent all of the request's content.
    void (*content_ended)(void *owner, int32_t stream);
    /// Both sides are done with the stream, or one has reset it.
    void (*closed)(void *owner, int32_t stream, uint32_t code);
    /// RST_STREAM has been made for this stream, by whomever it was wanted; `closed` follows.
    void (*reset_made)(void *owner, int32_t stream);
    /// How much content of the answer there is for a frame, `most` at most; -1 for none yet. Sets `is_last` where nothing
    /// comes behind it. `source` is what the answer was begun with.
    ptrdiff_t (*available)(void *source, size_t most, int *is_last);
    /// Takes the nine bytes of a frame's head and `count` of content to be sent now; -1 where there is no room.
    int (*take)(void *source, const uint8_t *frame_head, size_t count);
} clinux_http2_events;

typedef struct clinux_http2_session clinux_http2_session;

/// A session that has sent nothing yet but its settings, which `clinux_http2_next` brings first. NULL where there is no memory
/// or no library.
clinux_http2_session *clinux_http2_new(
    const clinux_http2_events *events, void *owner, const clinux_http2_setting *settings, size_t setting_count);
void clinux_http2_free(clinux_http2_session *session);

/// Reads what the client has sent; 0, or a negative number where the connection is of no use any more.
int clinux_http2_read(clinux_http2_session *session, const uint8_t *bytes, size_t count);

/// Points at the next bytes to be sent, valid until the next call; their number, 0 for none now, or a negative number.
ptrdiff_t clinux_http2_next(clinux_http2_session *session, const uint8_t **bytes);

/// Whether neither side has anything to say any more.
int clinux_http2_is_over(clinux_http2_session *session);

/// Sends a head that is not the last of its answer (1xx). 0, or a negative number.
int clinux_http2_hint(clinux_http2_session *session, int32_t stream, const clinux_http2_field *fields, size_t count);

/// Begins an answer. `source` is asked for content; NULL for an answer without.
int clinux_http2_answer(
    clinux_http2_session *session, int32_t stream, const clinux_http2_field *fields, size_t count, void *source);

/// `source` has content again after it had none.
void clinux_http2_resume(clinux_http2_session *session, int32_t stream);

/// Ends a stream with an error code (RFC 9113 7).
void clinux_http2_reset(clinux_http2_session *session, int32_t stream, uint32_t code);

/// Whether the client lets no more content of this stream come for now.
int clinux_http2_is_shut(clinux_http2_session *session, int32_t stream);

/// Says that no further streams are welcome: those that are on their way still are (`is_final` 0), or are not.
void clinux_http2_say_goodbye(clinux_http2_session *session, int is_final);

/// Says goodbye with an error code and reads nothing more.
void clinux_http2_terminate(clinux_http2_session *session, uint32_t code);

#endif
