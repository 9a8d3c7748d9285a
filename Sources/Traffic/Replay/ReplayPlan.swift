import EventLoop
import Recording
import Upstream

/// The recording, the target and the pace of a replay.
public struct ReplayPlan: Sendable {
    /// The recording, as it was named.
    public var file: String
    var target: Endpoint
    /// For a target that speaks TLS.
    public var tls: ClientTLS?
    public var pace: ReplayPace
    /// The most that are open at once; in a closed loop the number of clients.
    var connections: Int
    public var duration: Duration?
    public var repeats = false
    /// For opening a connection, for a whole answer from when its request was sent, and for the
    /// wait of a request for a free connection.
    public var timeout = Duration.seconds(30)
    public var filter = ReplayFilter()
    /// Takes all requests that failed; nil: none is written.
    public var failedFile: FailedRequestFile?
    /// Go with every request, in the place of recorded ones of the same name.
    public var fields: [RecordedField] = []

    public init(file: String, target: Endpoint, pace: ReplayPace, connections: Int) {
        (self.file, self.target, self.pace, self.connections) = (file, target, pace, connections)
    }

    var paceInWords: String {
        switch pace {
        case .recorded(let speed):
            speed == 1
                ? "original timing" : "\(speed == speed.rounded() ? String(Int(clamping: speed)) : String(speed))x"
        case .rate(let rate): rate.text
        case .closed: "closed loop"
        case .warming(let rate): "at most \(rate.text)"
        }
    }

    var targetInWords: String { "\(target.isTLS ? "https" : "http")://\(target.authority)" }
}

/// Why nothing was sent.
public enum ReplayError: Error, Sendable, Equatable, CustomStringConvertible {
    case recording(RecordingError)
    /// No exchange of the recording is left to be sent; the counts say why.
    case nothingToSend(file: String, skipped: [String: Int])
    case system(SystemError)
    /// The plan could not be kept in a temporary file of this folder.
    case plan(folder: String, SystemError)
    /// The target takes no connection.
    case unreachable(target: String, reason: String)
    /// Stopped before it began.
    case stopped

    public var description: String {
        switch self {
        case .recording(let error): return error.description
        case .nothingToSend(let file, let skipped):
            let why = skipped.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return "\(file): no exchange can be sent" + (why.isEmpty ? "" : " (\(why))")
        case .system(let error): return error.description
        case .plan(let folder, let error):
            return "cannot keep the requests in a temporary file in \(folder): \(error); TMPDIR names another folder"
        case .unreachable(let target, let reason): return "cannot connect to \(target): \(reason)"
        case .stopped: return "stopped before the first request"
        }
    }
}
