import Dispatch
import Glibc
import Recording
import Synchronization

// Recording what is served, switched on and off while it is.

extension ProxyServer {
    /// How the recording fares. From any thread.
    public var recording: RecordingStatus { recorder.status }

    /// Says what can be recorded; what is being recorded goes on.
    public func configureRecording(_ settings: RecordingSettings?) {
        recorder.configure(settings)
    }

    /// Switches the configured recording on or off; `completion` is called from another thread with
    /// what became of it. Nothing is configured: `nil`.
    public func turnRecording(
        _ isOn: Bool, _ completion: @escaping @Sendable (Result<RecordingStatus, RecordingError>?) -> Void
    ) {
        guard let settings = recording.configured else { return completion(nil) }
        let recorder = recorder
        guard isOn else { return stopRecording { completion(.success(recorder.status)) } }
        startRecording(settings) { error in completion(error.map { .failure($0) } ?? .success(recorder.status)) }
    }

    /// Goes on in a new file where the old one was moved away. `completion` is called from another
    /// thread with whether it was; never where nothing is recorded.
    public func reopenRecording(_ completion: @escaping @Sendable (Result<Bool, RecordingError>) -> Void) {
        recorder.reopen(completion)
    }

    /// Begins to record. `completion` is called from another thread, with what went wrong; where it
    /// records already, nothing changes.
    func startRecording(
        _ settings: RecordingSettings, _ completion: @escaping @Sendable (RecordingError?) -> Void
    ) {
        recorder.begin(settings, completion)
    }

    /// How long a reload waits for the writer, whose disk may hang.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// The same, and waits for it.
    /// - Throws: what went wrong; `cannotWrite` with `ETIMEDOUT` where nothing came of it in ten
    ///   seconds.
    public func startRecording(_ settings: RecordingSettings) throws(RecordingError) {
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<RecordingError?>(nil)
        startRecording(settings) { error in
            failure.withLock { $0 = error }
            done.signal()
        }
        guard done.wait(timeout: .now() + Self.patience) == .success else {
            throw .cannotWrite(path: settings.path, code: ETIMEDOUT)
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Stops once what was answered so far is written. `completion` is called from another thread.
    func stopRecording(_ completion: @escaping @Sendable () -> Void) {
        let recorder = recorder
        let paused = recorder.pause()
        let group = DispatchGroup()
        for worker in workers {
            group.enter()
            worker.flushTraffic { group.leave() }
        }
        group.notify(queue: .global()) { @Sendable in recorder.end(paused, completion) }
    }

    /// The same, and waits for it, ten seconds at most.
    public func stopRecording() {
        let done = DispatchSemaphore(value: 0)
        stopRecording { done.signal() }
        _ = done.wait(timeout: .now() + Self.patience)
    }
}
