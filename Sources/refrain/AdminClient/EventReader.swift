/// Takes server-sent events out of a stream of bytes (HTML Living Standard, 9.2.6). Pure.
///
/// Lines end in a line feed, as the proxy writes them; comments, `retry` and `id` are skipped.
struct EventReader {
    struct Event: Equatable {
        let name: String
        /// The values of its fields `data`.
        let lines: [String]
    }

    /// The most bytes in a line: the proxy writes no longer ones.
    private static let longestLine = 1 << 20

    private var rest: [UInt8] = []
    private var name = ""
    private var lines: [String] = []

    /// The events that end in these bytes; nil where a line is too long.
    mutating func take(_ bytes: [UInt8]) -> [Event]? {
        var events: [Event] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            takeLine(String(decoding: rest + bytes[start..<end], as: UTF8.self), &events)
            rest = []
            start = end + 1
        }
        rest += bytes[start...]
        return rest.count <= Self.longestLine ? events : nil
    }

    private mutating func takeLine(_ line: String, _ events: inout [Event]) {
        guard !line.isEmpty else {
            if !lines.isEmpty { events.append(Event(name: name, lines: lines)) }
            (name, lines) = ("", [])
            return
        }
        if let value = Self.value("event", line) { name = value }
        if let value = Self.value("data", line) { lines.append(value) }
    }

    /// The value of a field; a single blank after the colon is no part of it.
    private static func value(_ field: String, _ line: String) -> String? {
        guard line.hasPrefix(field + ":") else { return nil }
        let value = line.dropFirst(field.count + 1)
        return String(value.hasPrefix(" ") ? value.dropFirst() : value)
    }
}
