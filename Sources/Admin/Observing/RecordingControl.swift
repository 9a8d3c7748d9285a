import Proxy
import Recording
import Text

/// How the operator's surface sees and switches the recording. Only the configuration says where
/// to: a client that could name a file here could have any file of the proxy's user written.
public struct RecordingControl: Sendable {
    let status: @Sendable () -> RecordingStatus
    /// Calls back with what became of it; nil where nothing is configured.
    let turn: @Sendable (Bool, @escaping @Sendable (Result<RecordingStatus, RecordingError>?) -> Void) -> Void

    public init(
        status: @escaping @Sendable () -> RecordingStatus = { RecordingStatus() },
        turn:
            @escaping @Sendable (
                Bool, @escaping @Sendable (Result<RecordingStatus, RecordingError>?) -> Void
            ) -> Void = { $1(nil) }
    ) {
        self.status = status
        self.turn = turn
    }
}

extension RecordingStatus {
    var json: JSON {
        var object = JSONObject([
            "on": .bool(isOn), "file": (configured?.path).map { .string($0) } ?? .null,
            "since": since.map { .string($0.text) } ?? .null,
        ])
        if let configured {
            object.append("sampling", .number(String(configured.sampling)))
            object.append("size", .integer(configured.mostBytes))
            object.append("files", .integer(configured.mostFiles))
        }
        for (name, count) in [("exchanges", exchanges), ("bytes", bytes), ("dropped", dropped)] {
            object.append(name, .integer(count))
        }
        object.append("problem", problem.map { .string($0) } ?? .null)
        return .object(object)
    }
}
