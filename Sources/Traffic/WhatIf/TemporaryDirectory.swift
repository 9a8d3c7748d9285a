import EventLoop
import Glibc

/// A directory of the run's own: its sockets, and its cache file where it has one.
struct TemporaryDirectory {
    let path: String

    init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/refrain-" + String(repeating: "X", count: 6)).utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// With all that is in it.
    func remove() { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in (try? Folder.names(in: path)) ?? [] {
            let inner = path + "/" + name
            // Folders alone are entered: a link that cannot be removed may lead elsewhere.
            if unlink(inner) != 0, errno == EISDIR { remove(inner) }
        }
        rmdir(path)
    }
}
