import Proxy
import Recording

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
