/// Reads one answer after the other off a connection and drops the bodies. Pure; one answer is
/// outstanding at a time.
struct AnswerReader {
    private var head: [UInt8] = []
    /// Of the body, once the head is read.
    private var left: Int?

    /// True when the answer is complete.
    ///
    /// - Throws: for anything but a 200 with `Content-Length`, and for bytes behind it.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
        var body = bytes.count
        if left == nil {
            let before = head.count
            head.append(contentsOf: bytes)
            guard let end = Self.end(of: head, from: max(0, before - 3)) else { return false }
            left = try Self.length(head[..<end])
            body = head.count - end
        }
        let rest = (left ?? 0) - body
        guard rest >= 0 else { throw BenchError("more bytes than Content-Length says") }
        left = rest
        guard rest == 0 else { return false }
        left = nil
        head.removeAll(keepingCapacity: true)
        return true
    }

    private static func end(of head: [UInt8], from start: Int) -> Int? {
        guard head.count >= 4 else { return nil }
        for index in start...(head.count - 4) where head[index] == 13 {
            if head[index + 1] == 10, head[index + 2] == 13, head[index + 3] == 10 { return index + 4 }
        }
        return nil
    }

    private static func length(_ head: ArraySlice<UInt8>) throws -> Int {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first, status.hasPrefix("HTTP/1.1 200") else {
            throw BenchError("answered \(lines.first ?? "nothing")")
        }
        let name = "content-length:"
        let field = lines.first { $0.prefix(name.count).lowercased() == name }
        guard let length = field.flatMap({ Int($0.dropFirst(name.count).drop { $0 == " " }) }) else {
            throw BenchError("an answer without Content-Length")
        }
        return length
    }
}
