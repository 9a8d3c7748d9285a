import HTTP

/// A path of the operator's surface: its methods, its audience, its content.
struct AdminEndpoint: Sendable {
    enum Audience: Sendable {
        /// Every client that can connect: probes of an orchestrator, and browsers before the login.
        /// The answer tells nothing of the traffic.
        case anyone
        case operators
    }

    let path: String
    /// GET includes HEAD.
    let methods: [HTTP.Method]
    var audience = Audience.operators
    /// Whether a POST changes something, which takes the token or the owner of the process.
    var writes = false
    /// Content type that a browser's POST must have.
    var contentType = "application/json"
    /// A line for `GET /help` and the documentation.
    let summary: String

    func takes(_ method: HTTP.Method) -> Bool {
        methods.contains(method == .head ? .get : method)
    }

    /// Value of `Allow`.
    var allow: String {
        methods.map { $0 == .get ? "GET, HEAD" : "\($0.text)" }.joined(separator: ", ")
    }
}
