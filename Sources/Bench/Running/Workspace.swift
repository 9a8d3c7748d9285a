import Foundation
import Synchronization

/// A folder of its own for configurations, caches and logs; removed at the end.
final class Workspace {
    let path: String
    /// Those that are there now: an interruption removes them all.
    static let present = Mutex<Set<String>>([])

    init() throws {
        path = NSTemporaryDirectory() + "refrain-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        Self.present.withLock { [path] in _ = $0.insert(path) }
    }

    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        Self.present.withLock { [path] in _ = $0.remove(path) }
    }
}
