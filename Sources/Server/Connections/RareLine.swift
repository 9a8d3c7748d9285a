import EventLoop

/// Lets one log line a minute through, and counts the events that it leaves unsaid. Pure.
struct RareLine: Sendable {
    private static let interval = Duration.seconds(60)
    private var lastLine: Instant?
    private var unsaid = 0

    /// Takes an event. Returns how many since the last line went unsaid if it is to be said, else
    /// nil.
    mutating func take(at now: Instant) -> Int? {
        if let lastLine, now - lastLine < Self.interval {
            unsaid += 1
            return nil
        }
        defer { (lastLine, unsaid) = (now, 0) }
        return unsaid
    }

    /// Takes the events that went unsaid since the last line, where that is a minute old; nil where
    /// there are none. They count as said.
    mutating func takeRest(at now: Instant) -> Int? {
        guard unsaid > 0, let lastLine, now - lastLine >= Self.interval else { return nil }
        defer { (self.lastLine, unsaid) = (now, 0) }
        return unsaid
    }

    /// The end of a line about one of several events.
    static func others(_ unsaid: Int) -> String {
        unsaid > 0 ? "; \(unsaid) more since the last message" : ""
    }
}
