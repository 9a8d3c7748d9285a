/// A limit beyond which a client is refused: its connection is closed, or its request is answered
/// with an error before a service has it.
public enum ClientLimit: Int, CaseIterable, Sendable {
    /// Connections of one address at once.
    case address
    /// Connections of all clients at once, so that some descriptors are left for the rest.
    case descriptors
    /// Connections of one loop at once.
    case loop
    /// Connections of one loop whose header of the PROXY protocol has not come: the oldest is
    /// closed.
    case proxyHeaders
    /// The kernel gave no socket: the process or the machine has no descriptor or memory left.
    case accept
    /// Requests of one address at once that trusted proxies pass on.
    case addressRequests
    /// Memory of requests that are read or wait.
    case requestMemory
    /// Memory of answers that slow clients have not taken.
    case answerMemory
    /// HTTP/2 frames of a kind.
    case http2Frames
    /// TLS records without content.
    case tlsRecords

    /// The label of metrics.
    public var word: String {
        switch self {
        case .address: "address"
        case .descriptors: "descriptors"
        case .loop: "loop"
        case .proxyHeaders: "proxy-headers"
        case .accept: "accept"
        case .addressRequests: "address-requests"
        case .requestMemory: "request-memory"
        case .answerMemory: "answer-memory"
        case .http2Frames: "http2-frames"
        case .tlsRecords: "tls-records"
        }
    }

    /// Whether connections are closed as they come.
    var isOnArrival: Bool {
        switch self {
        case .address, .descriptors, .loop, .accept: true
        case .proxyHeaders, .addressRequests, .requestMemory, .answerMemory, .http2Frames, .tlsRecords: false
        }
    }

    /// Whether a refused request is answered with an error, which counts as a refused request too.
    public var isAnswered: Bool { self == .addressRequests || self == .requestMemory }

    /// The limit in a log line, if no setting was named for it.
    var defaultName: String {
        switch self {
        case .address: "connections of one address"
        case .descriptors: "connections of all clients"
        case .loop: "\(Limits.connections) connections of one loop"
        case .proxyHeaders: "\(Limits.awaitedHeaders) connections of one loop without their PROXY header"
        case .accept: "file descriptors"
        case .addressRequests: "concurrent requests of one address"
        case .requestMemory: "request_memory"
        case .answerMemory: "answer_memory"
        case .http2Frames: "HTTP/2 frames of one kind"
        case .tlsRecords: "TLS records without content"
        }
    }

    /// Line of a single refusal: `a connection from HOST was refused`.
    func words(from host: String) -> String {
        let (thing, verb) = wording
        return "a \(thing) from \(host) was \(verb)"
    }

    /// Several: `14 connections were refused`.
    func words(of count: Int) -> String {
        let (thing, verb) = wording
        return count == 1 ? "1 more \(thing) was \(verb)" : "\(count) more \(thing)s were \(verb)"
    }

    private var wording: (thing: String, verb: String) {
        switch self {
        case .address, .descriptors, .loop, .accept: ("connection", "refused")
        case .addressRequests, .requestMemory: ("request", "refused")
        case .proxyHeaders, .answerMemory, .http2Frames, .tlsRecords: ("connection", "closed")
        }
    }
}
