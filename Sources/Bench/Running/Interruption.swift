import Dispatch
import EventLoop
import Foundation
import Synchronization

/// Ctrl-C: started programs are stopped, written files are removed, and the program ends.
final class Interruption {
    private let watcher = SignalWatcher(queue: DispatchQueue(label: "bench.signals"))

    init() {
        for signal in [SIGINT, SIGTERM, SIGHUP] { watcher.on(signal) { Self.end(signal) } }
    }

    private static let isHappening = Atomic<Bool>(false)

    /// Does not return once everything is being stopped: a failure then is no result.
    static func waitIfHappening() {
        while isHappening.load(ordering: .relaxed) { sleep(1) }
    }

    private static func end(_ signal: Int32) {
        isHappening.store(true, ordering: .relaxed)
        let children = Child.running.withLock { $0 }
        for child in children { kill(child, SIGTERM) }
        for _ in 0..<30 where children.contains(where: { waitpid($0, nil, WNOHANG) == 0 }) { usleep(100_000) }
        for child in children { kill(child, SIGKILL) }
        // A run at its end is removing the same files, and each misses those that the other took.
        for path in Workspace.present.withLock({ $0 }) {
            for _ in 0..<20 where FileManager.default.fileExists(atPath: path) {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        _exit(128 + signal)
    }
}
