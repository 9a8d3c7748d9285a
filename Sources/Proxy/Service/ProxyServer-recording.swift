import Dispatch
import Glibc
import Recording
import Synchronization

// Recording of traffic, switched on and off while the proxy serves.

extension ProxyServer {
    /// The status of the recording. From any thread.
    public var recording: RecordingStatus { recorder.status }

    /// Switches the configured recording on or off; `completion` is called from another thread with
    /// what became of it. Nothing is configured: `nil`.
    public func turnRecording(
        _ isOn: Bool, _ completion: @escaping @Sendable (Result<RecordingStatus, RecordingError>?) -> Void
    ) {
        guard let settings = recording.configured else { return completion(nil) }
        let recorder = recorder
        guard isOn else { return stopRecording { completion(.success(recorder.status)) } }
        recorder.begin(settings) { error in completion(error.map { .failure($0) } ?? .success(recorder.status)) }
    }

    /// How long a reload waits for the writer, whose disk may hang.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// Begins to record, and waits for it; where it records already, nothing changes.
    /// - Throws: what went wrong; `cannotWrite` with `ETIMEDOUT` where nothing came of it in ten
    ///   seconds.
    public func startRecording(_ settings: RecordingSettings) throws(RecordingError) {
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<RecordingError?>(nil)
        recorder.begin(settings) { error in
            failure.withLock { $0 = error }
            done.signal()
        }
        guard done.wait(timeout: .now() + Self.patience) == .success else {
            throw .cannotWrite(path: settings.path, code: ETIMEDOUT)
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Stops once the answers so far are written. `completion` is called from another thread.
    func stopRecording(_ completion: @escaping @Sendable () -> Void) {
        let recorder = recorder
        let paused = recorder.pause()
        let group = DispatchGroup()
        for worker in workers {
            group.enter()
            worker.loop.execute { @Sendable in
                worker.service.proxy.observer.traffic.handOver(isLast: true)
                group.leave()
            }
        }
        group.notify(queue: .global()) { @Sendable in recorder.end(paused, completion) }
    }

    /// Stops recording, and waits for it, ten seconds at most.
    public func stopRecording() {
        let done = DispatchSemaphore(value: 0)
        stopRecording { done.signal() }
        _ = done.wait(timeout: .now() + Self.patience)
    }
}
