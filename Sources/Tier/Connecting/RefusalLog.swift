import EventLoop
import Text

/// Refusals of an engine, over all connections of this process: counts by kind, those that last,
/// and lines for the log. Pure: times are passed in.
///
/// Must hold:
/// - a refusal lasts until the engine accepts the command, or, where it concerns all writes, any
///   write;
/// - each kind has one line a minute at most, and one more when it is over.
struct RefusalLog: Sendable {
    /// Time of an event.
    struct Moment: Sendable {
        let now: Instant
        /// Unix seconds.
        let wall: Int64
    }

    private struct Entry {
        /// Nil while the engine refuses nothing of the kind.
        var lasting: LastingRefusal?
        /// When there was a line last.
        var saidAt: Instant?
        /// Whether `lasting` has had a line.
        var isSaid = false
        /// Refusals since that line.
        var unsaid = 0
    }

    /// Since the start.
    private(set) var counts: [EngineRefusal.Kind: Int] = [:]
    private var entries: [EngineRefusal.Kind: Entry] = [:]

    /// Between two lines of one kind.
    static let interval: Duration = .seconds(60)
    /// Names of commands that are listed at most.
    private static let mostCommands = 16
    /// Commands that an engine refuses if it accepts no writes.
    private static let writes: Set<String> = ["SET", "HSET", "XADD"]
    /// Commands of the greeting, which end with it.
    static let greeting = ["connect", "AUTH", "ROLE", "MGET"]

    /// The refusals that last, by kind.
    var lasting: [LastingRefusal] {
        entries.values.compactMap(\.lasting).sorted { $0.latest.kind.rawValue < $1.latest.kind.rawValue }
    }

    /// A connection or the commands of a greeting were refused. They have no line of their own:
    /// that of the connection says so.
    mutating func refusedGreeting(_ refusal: EngineRefusal, at moment: Moment) {
        note(refusal, at: moment)
        entries[refusal.kind]?.isSaid = true
    }

    /// The engine has answered commands.
    /// - Parameter engine: its address, for people.
    /// - Returns: lines for the log.
    mutating func answered(
        _ refused: [EngineRefusal], accepted: [String], by engine: String, at moment: Moment
    ) -> [String] {
        var lines: [String] = []
        for refusal in refused {
            note(refusal, at: moment)
            if let line = line(for: refusal, at: moment) { lines.append("shared tier \(engine): " + line) }
        }
        for command in accepted {
            lines += accept(command, at: moment).map { "shared tier \(engine): " + $0 }
        }
        return lines
    }

    private mutating func note(_ refusal: EngineRefusal, at moment: Moment) {
        counts[refusal.kind, default: 0] += 1
        var entry = entries[refusal.kind] ?? Entry()
        var lasting = entry.lasting ?? LastingRefusal(latest: refusal, since: moment.wall)
        (lasting.latest, lasting.count) = (refusal, lasting.count + 1)
        if lasting.commands.count < Self.mostCommands { lasting.commands.insert(refusal.command) }
        (entry.lasting, entry.unsaid) = (lasting, entry.unsaid + 1)
        entries[refusal.kind] = entry
    }

    private mutating func line(for refusal: EngineRefusal, at moment: Moment) -> String? {
        guard let entry = entries[refusal.kind] else { return nil }
        if let saidAt = entry.saidAt, moment.now - saidAt < Self.interval { return nil }
        let line = "\(refusal.command) refused: \(refusal.words)"
        defer {
            entries[refusal.kind]?.saidAt = moment.now
            entries[refusal.kind]?.isSaid = true
            entries[refusal.kind]?.unsaid = 0
        }
        let names = entry.lasting.map { $0.commands.sorted().joined(separator: ", ") } ?? ""
        return entry.unsaid > 1 ? line + " (\(entry.unsaid) refusals since the last line: \(names))" : line
    }

    private mutating func accept(_ command: String, at moment: Moment) -> [String] {
        let isWrite = Self.writes.contains(command)
        var lines: [String] = []
        for (kind, entry) in entries {
            guard var lasting = entry.lasting else { continue }
            lasting.commands.remove(command)
            guard isWrite && kind.isOfAllWrites || lasting.commands.isEmpty else {
                entries[kind]?.lasting = lasting
                continue
            }
            entries[kind]?.lasting = nil
            entries[kind]?.isSaid = false
            guard entry.isSaid, entry.saidAt != nil else { continue }
            let seconds = max(moment.wall - lasting.since, 0)
            let count = lasting.count == 1 ? "1 refusal" : "\(lasting.count) refusals"
            lines.append("\(command) accepted again after \(count) (\(kind.rawValue)) in \(seconds) s")
        }
        return lines
    }
}

/// A refusal that lasts: the engine has not accepted the command since.
package struct LastingRefusal: Sendable, Equatable {
    package fileprivate(set) var latest: EngineRefusal
    /// Unix seconds of the first.
    package let since: Int64
    package fileprivate(set) var count = 0
    /// Names of the refused commands.
    package fileprivate(set) var commands: Set<String> = []

    fileprivate init(latest: EngineRefusal, since: Int64) { (self.latest, self.since) = (latest, since) }

    /// Without the engine's own words: some surfaces are anyone's to see.
    var text: String {
        let names = commands.sorted().map { $0 == "connect" ? "connections" : $0 }.joined(separator: ", ")
        return "the engine refuses \(names) (\(latest.kind.rawValue)) since \(LogTime.rfc3339(since))"
    }
}
