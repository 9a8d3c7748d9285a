import CLinux
import HTTP

/// HTTP/2 on connections with TLS, where the system has nghttp2; without it HTTP/1.1 is spoken
/// alone.
public enum HTTP2Support {
    /// Whether the library is there. It is looked for once.
    public static var isAvailable: Bool { clinux_http2_load() == 0 }

    /// Version of the library, such as `1.52.0`; nil where it is not there.
    public static var version: String? { clinux_http2_version().map { String(cString: $0) } }

    /// File name of the library, for messages that ask to install it.
    public static let libraryName = "libnghttp2.so.14"
}

extension HTTP2Session {
    /// Bounds that clients are told (RFC 9113 6.5.2, RFC 9218 2.1).
    private static func settings(_ limits: MessageLimits) -> [clinux_http2_setting] {
        [
            clinux_http2_setting(identifier: 3, value: UInt32(Limits.streams)),
            clinux_http2_setting(identifier: 6, value: UInt32(limits.maxHeadBytes)),
            // Priorities as RFC 7540 had them, which cost the server a tree, are not followed.
            clinux_http2_setting(identifier: 9, value: 1),
        ]
    }

    /// The library's session, which tells this one its events.
    func makeLibrary() -> OpaquePointer? {
        var events = clinux_http2_events(
            head_began: { HTTP2Session.of($0).headBegan($1) },
            field: { owner, name, nameCount, value, valueCount in
                let isTaken = HTTP2Session.of(owner).fieldCame(
                    UnsafeBufferPointer(start: name, count: nameCount),
                    UnsafeBufferPointer(start: value, count: valueCount))
                return isTaken ? 0 : -1
            },
            head_ended: { HTTP2Session.of($0).headEnded($1, isLast: $2 != 0) },
            content: { owner, stream, bytes, count in
                HTTP2Session.of(owner).contentCame(stream, UnsafeRawBufferPointer(start: bytes, count: count))
            },
            content_ended: { HTTP2Session.of($0).contentEnded($1) },
            closed: { owner, stream, _ in HTTP2Session.of(owner).closed(stream) },
            reset_made: { HTTP2Session.of($0).resetMade($1) },
            available: { source, most, isLast in
                guard let (count, last) = HTTP2Stream.of(source).available(most) else { return -1 }
                isLast?.pointee = last ? 1 : 0
                return count
            },
            take: { source, head, count in
                let stream = HTTP2Stream.of(source)
                return stream.session.take(stream, UnsafeRawBufferPointer(start: head, count: 9), count) ? 0 : -1
            })
        let settings = Self.settings(limits)
        return clinux_http2_new(&events, Unmanaged.passUnretained(self).toOpaque(), settings, settings.count)
    }

    /// In the library's calls, all of which this session makes.
    private static func of(_ owner: UnsafeMutableRawPointer?) -> HTTP2Session {
        guard let owner else { preconditionFailure("a session has an owner") }
        return Unmanaged<HTTP2Session>.fromOpaque(owner).takeUnretainedValue()
    }

    /// False where the head unfolds beyond all measure; one that is merely too large is answered.
    private func fieldCame(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        unfoldedBytes += name.count + value.count
        unfoldedInRead += name.count + value.count
        if unfoldedBytes > FrameBounds.mostUnfoldedBytes || unfoldedInRead > FrameBounds.mostUnfoldedBytesInRead {
            offence = .headBytes
        }
        guard let connection = current?.connection, offence == nil else { return offence == nil }
        connection.withInput { head.add(name.span, value.span, to: &$0) }
        return true
    }
}

extension HTTP2Stream {
    /// In the library's calls, which last no longer than the session keeps the stream.
    fileprivate static func of(_ source: UnsafeMutableRawPointer?) -> HTTP2Stream {
        guard let source else { preconditionFailure("content has a source") }
        return Unmanaged<HTTP2Stream>.fromOpaque(source).takeUnretainedValue()
    }
}
