import Freshness
import HTTP
import Server

/// An answer to a request that is served neither by the cache nor by the origin.
struct Rejection {
    let error: AppleError
    /// The word in `Cache-Status` and in the logs.
    let reason: Reason
    /// In seconds, where another try is worth while by then.
    var retryAfter: Int?
    /// The word after the reason in the log.
    var cause: StaticString?

    /// The request presents none of the client keys.
    static func clientKey(of head: RequestHead, _ bytes: Span<UInt8>) -> Rejection {
        if head.fields.contains(.xRefrainKey) {
            return unknownKey("The client key in X-Refrain-Key is unknown.")
        }
        if head.bearerToken(bytes) != nil {
            return unknownKey(
                "The token in Authorization is not a client key, and X-Refrain-Key is missing.")
        }
        let detail = "A client key is required, in X-Refrain-Key or as Authorization: Bearer."
        return Rejection(error: AppleError(status: 401, detail: detail), reason: .clientKeyMissing)
    }

    private static func unknownKey(_ detail: String) -> Rejection {
        Rejection(error: AppleError(status: 401, detail: detail), reason: .clientKeyUnknown)
    }

    /// The client has sent as many requests a second as it may.
    static func rate(_ rate: Int, retryAfter: Int) -> Rejection {
        let detail = "This client may send \(rate == 1 ? "1 request" : "\(rate) requests") a second."
        return Rejection(
            error: AppleError(status: 429, detail: detail), reason: .clientRate, retryAfter: retryAfter)
    }

    /// The request cannot be understood in one way, or asks for what is never done.
    static func invalid(_ status: Int, _ detail: String, because cause: StaticString) -> Rejection {
        Rejection(error: AppleError(status: status, detail: detail), reason: .invalidRequest, cause: cause)
    }

    /// The request would change something in the name of a user whom only a cookie names, and may
    /// come from a page of another site.
    static var crossSite: Rejection {
        let detail =
            "Only a cookie names the user of this write: send the token as Music-User-Token, or write from a page of "
            + "this host or of cors_origin."
        return Rejection(error: AppleError(status: 403, detail: detail), reason: .crossSite)
    }

    /// The path is outside of the API, and the operator wants no request for it (`other refuse`).
    static var otherPath: Rejection {
        Rejection(error: AppleError(status: 404, detail: "Only paths under /v1/ are served."), reason: .off)
    }

    /// Memory for requests that wait is used up, or the client's share of it; nil where it is not.
    static func crowded(_ room: RequestBudget.Taking) -> Rejection? {
        let (whose, reason): (String, Reason)
        switch room {
        case .taken: return nil
        case .full: (whose, reason) = ("requests", .queueFull)
        case .shareUsed: (whose, reason) = ("requests of this client", .shareUsed)
        }
        let detail = "Too many \(whose) are waiting for answers."
        return Rejection(error: AppleError(status: 503, detail: detail), reason: reason, retryAfter: 1)
    }
}
