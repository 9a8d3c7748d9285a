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
}
