// Which fields are recorded. An allow-list: what is not on it may be a secret that nobody has thought of.

public enum RecordedFields {
    /// What can change the answer to a request.
    public static let ofRequests: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-type", "if-match",
        "if-modified-since",
        "if-none-match", "if-unmodified-since", "range",
    ]

    /// What says of an answer what it is, how long it is good for, and what the cache did.
    public static let ofAnswers: Set<String> = [
        "age", "cache-control", "cache-status", "content-encoding", "content-language", "content-range", "content-type",
        "date", "etag", "expires", "last-modified", "retry-after", "vary", "x-cache",
    ]

    /// A field as a file has it; nil for one that is not on the list, whatever it holds.
    /// - Throws: when the value could end a line, or is longer than any field: it would go out as it stands.
    public static func kept(_ name: String, _ value: String, of list: Set<String>) throws(LineProblem) -> RecordedField? {
        let name = name.lowercased()
        guard list.contains(name) else { return nil }
        guard RecordedExchange.isFieldValue(value) else {
            throw LineProblem("the value of the header field \(name) cannot be one")
        }
        return RecordedField(name, value)
    }
}
