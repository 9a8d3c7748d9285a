/// A request method (RFC 9110 9). Names are case-sensitive; one that is not listed is `other`, and
/// `RequestHead` says where its text is.
public enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options, trace, connect, other

    /// Read-only by definition (RFC 9110 9.2.1); an unknown method is not.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Whether sending it twice has the effect of sending it once (RFC 9110 9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// The method's name in a request line; empty for `other`.
    public var text: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other: ""
        }
    }

    /// Whether bytes that are no known method would be one if names had no case: no client means
    /// that, and a server that folds case would act on a method that was not checked here.
    static func isMisspelt(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let spelling = bytes.lowercased(range)
        return allCases.contains { $0 != .other && $0.text.description.lowercased().utf8.elementsEqual(spelling) }
    }

    /// The method that these bytes spell.
    public init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        self =
            switch range.count {
            case 3: bytes.equals(range, "GET") ? .get : bytes.equals(range, "PUT") ? .put : .other
            case 4: bytes.equals(range, "HEAD") ? .head : bytes.equals(range, "POST") ? .post : .other
            case 5: bytes.equals(range, "PATCH") ? .patch : bytes.equals(range, "TRACE") ? .trace : .other
            case 6: bytes.equals(range, "DELETE") ? .delete : .other
            case 7: bytes.equals(range, "OPTIONS") ? .options : bytes.equals(range, "CONNECT") ? .connect : .other
            default: .other
            }
    }
}

/// The versions that are spoken (RFC 9112 2.3).
public enum Version: UInt8, Sendable {
    case http10, http11
}
