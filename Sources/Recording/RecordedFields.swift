import HTTP

// The allow-list of recorded fields: any other field may be a secret.

public enum RecordedFields {
    /// Request fields that can change the answer.
    public static let ofRequests: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-type", "if-match",
        "if-modified-since",
        "if-none-match", "if-unmodified-since", "range",
    ]

    /// Answer fields about content, freshness and the cache.
    public static let ofAnswers: Set<String> = [
        "age", "cache-control", "cache-status", "content-encoding", "content-language", "content-range", "content-type",
        "date", "etag", "expires", "last-modified", "retry-after", "vary", "x-cache",
    ]

    /// Fields that identify the user: tokens of apps and web players, cookies.
    public static let tellingWhoAsks: Set<String> = ["music-user-token", "media-user-token", "cookie"]

    /// The recorded form of a field; nil for one that is not on the list.
    /// - Throws: if the value could end a line or is too long: it would be sent unchanged.
    public static func kept(_ name: String, _ value: String, of list: Set<String>) throws(LineProblem) -> RecordedField?
    {
        let name = name.lowercased()
        guard list.contains(name) else { return nil }
        guard RecordedField.isValue(value) else {
            throw LineProblem("the value of the header field \(name) cannot be one")
        }
        return RecordedField(name, value)
    }

    /// Fields recorded of a personal request; others could be about the user.
    public static let ofPersonalRequests: Set<String> = ["accept", "accept-encoding", "accept-language"]

    /// The fields among `lines` (`Name: value` CR LF) that may be recorded. Fields of one name are
    /// joined; other lines, such as a status line, are skipped.
    public static func among(_ lines: ArraySlice<UInt8>, keeping allowed: Set<String>) -> [RecordedField] {
        var fields: [RecordedField] = []
        for line in lines.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            guard allowed.contains(name) else { continue }
            let bytes = Array(line[(colon + 1)...])
            let value = String(decoding: bytes[bytes.span.trimmingWhitespace(0..<bytes.count)], as: UTF8.self)
            if let index = fields.firstIndex(where: { $0.name == name }) {
                fields[index] = RecordedField(name, fields[index].value + ", " + value)
            } else {
                fields.append(RecordedField(name, value))
            }
        }
        return fields.filter { RecordedField.isValue($0.value) }
    }
}
