import HTTP

/// One path of the operator's surface: who may ask, and with what.
struct AdminEndpoint: Sendable {
    enum Audience: Sendable {
        /// Anyone who can connect: probes of an orchestrator, and who has yet to log in. Tells
        /// nothing of the traffic.
        case anyone
        case operators
    }

    let path: String
    /// GET includes HEAD.
    let methods: [HTTP.Method]
    var audience = Audience.operators
    /// Whether a POST changes something: only the owner of the process or who has the token may.
    var writes = false
    /// Content type that a browser's POST must have.
    var contentType = "application/json"
    /// One line, for `GET /help` and the documentation.
    let summary: String

    func takes(_ method: HTTP.Method) -> Bool {
        methods.contains(method == .head ? .get : method)
    }

    /// Value of `Allow`.
    var allow: String {
        methods.map { $0 == .get ? "GET, HEAD" : "\($0.text)" }.joined(separator: ", ")
    }
}
