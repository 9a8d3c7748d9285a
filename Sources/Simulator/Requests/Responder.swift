// The interface of a simulated origin: a function from a request to a response. No sockets, no
// clock but the one in the request.

/// A header field, as spelt.
struct SimulatorField: Sendable, Equatable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        (self.name, self.value) = (name, value)
    }

    /// Field names compare without regard to the case of ASCII letters (RFC 9110 section 5.1).
    func isNamed(_ other: String) -> Bool {
        name.utf8.count == other.utf8.count && name.lowercased() == other.lowercased()
    }
}

/// A request as a responder sees it.
public struct SimulatorRequest: Sendable {
    /// The method as spelt, for example `GET`.
    var method: String
    /// The request target in origin form: path and query, percent-encoded as the client sent it.
    var target: [UInt8]
    var fields: [SimulatorField]
    var body: [UInt8]
    /// The time, in seconds since 1970: tokens expire and rate limits count by it.
    var nowUnixSeconds: Int64

    init(
        method: String = "GET", target: [UInt8], fields: [SimulatorField] = [], body: [UInt8] = [],
        nowUnixSeconds: Int64 = 0
    ) {
        (self.method, self.target, self.fields) = (method, target, fields)
        (self.body, self.nowUnixSeconds) = (body, nowUnixSeconds)
    }

    /// The value of the first field of that name, compared without regard to case.
    func field(_ name: String) -> String? { fields.first { $0.isNamed(name) }?.value }
}

/// A response without framing: the adaptor adds `Content-Length`, `Date` and `Connection`, and
/// leaves the body out for HEAD.
public struct SimulatorResponse: Sendable {
    var status: Int
    var fields: [SimulatorField] = []
    var body: [UInt8] = []
    /// Set when the exchange is to break: a reset replaces the answer; a truncated answer declares
    /// all of its content, has half of it, and the connection closes.
    var fault: Fault.Kind?
    /// How long to wait before the first byte.
    var delay = Duration.zero

    /// The value of the first field of that name, compared without regard to case.
    func field(_ name: String) -> String? { fields.first { $0.isNamed(name) }?.value }
}

/// Something that answers requests like the Apple Music API. Callable from any thread.
public protocol Responder: AnyObject, Sendable {
    func respond(to request: SimulatorRequest) -> SimulatorResponse
}
