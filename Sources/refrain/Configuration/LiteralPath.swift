/// A path that a shell would have changed. Here it is taken as written.
enum LiteralPath {
    static let words = "paths are literal: variables and ~ are not expanded"

    static func isOne(_ path: String) -> Bool {
        path.hasPrefix("~/") || path.hasPrefix("$") && path.utf8.contains(UInt8(ascii: "/"))
    }

    /// The end of an error about a path; empty for other paths.
    static func hint(_ path: String) -> String { isOne(path) ? "; \(words)" : "" }
}
