/// Answers that no cache keeps, of the size that the target names, to measure how they are passed
/// on. The same bytes each time, so that they cost the origin next to nothing.
enum PassedBody {
    static let path = "/v1/bench/passed/"

    static func target(bytes: Int) -> String { path + "\(bytes)" }

    /// Head and body; nil where the target names no size.
    static func answer(to target: Substring) -> (head: [UInt8], body: [UInt8])? {
        guard target.hasPrefix(path), let bytes = Int(target.dropFirst(path.count)), bytes >= 0 else { return nil }
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nCache-Control: no-store\r\n"
            + "Content-Length: \(bytes)\r\n\r\n"
        return (Array(head.utf8), [UInt8](repeating: UInt8(ascii: "x"), count: bytes))
    }
}
