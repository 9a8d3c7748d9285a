import Text

/// The status and content of an answer.
struct ComparedAnswer: Sendable {
    let status: Int
    let body: [UInt8]

    /// Longer contents are equal byte for byte, or not compared: as values they take eight times
    /// the memory.
    static let mostBytes = 1 << 20

    /// The event of a comparison with `expected`.
    func event(expecting expected: ComparedAnswer) -> Verification.Event {
        guard status == expected.status else { return .different(at: "status") }
        if body == expected.body { return .equal }
        guard max(body.count, expected.body.count) <= Self.mostBytes else { return .unanswered }
        return JSONDifference.first(expected: expected.body, found: body).map { .different(at: $0.path) } ?? .equal
    }
}
