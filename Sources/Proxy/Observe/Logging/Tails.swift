import Server
import Synchronization

/// The readers of requests as they are answered (`refrain tail`).
///
/// All loops share it. While there is no reader, a request costs one read of `isRead`.
public final class Tails: Sendable {
    private let hasReaders = Atomic<Bool>(false)
    private let readers = Mutex<[Tail]>([])

    var isRead: Bool { hasReaders.load(ordering: .relaxed) }

    var all: [Tail] { readers.withLock { $0 } }

    /// Begins to read; each begin needs its end.
    /// - Parameter conditions: the requests for which all of them hold are shown.
    public func begin(_ conditions: [RequestCondition], as format: AccessLogFormat) -> Tail {
        let tail = Tail(conditions, format)
        readers.withLock {
            $0.append(tail)
            hasReaders.store(true, ordering: .relaxed)
        }
        return tail
    }

    public func end(_ tail: Tail) {
        readers.withLock { readers in
            readers.removeAll { $0 === tail }
            hasReaders.store(!readers.isEmpty, ordering: .relaxed)
        }
    }
}

/// A reader with its filter, and the lines that it has not taken yet. Its bound is its own: a
/// reader of everything leaves nothing out of what another one wants.
public final class Tail: Sendable {
    private struct Waiting {
        var lines: [UInt8] = []
        var omitted = 0
    }

    let conditions: [RequestCondition]
    let format: AccessLogFormat
    private let waiting = Mutex(Waiting())

    /// Bytes of lines that wait for the next turn, four in a second: some hundred thousand lines in
    /// a minute. What comes beyond is not even written.
    static let mostBytes = ProxyMemory.tailBytes / 2

    init(_ conditions: [RequestCondition], _ format: AccessLogFormat) {
        (self.conditions, self.format) = (conditions, format)
    }

    /// Adds a line, which ends in a line feed.
    /// - Parameter line: made only where there is room for it.
    func add(_ line: () -> [UInt8]) {
        let hasRoom = waiting.withLock { waiting in
            if waiting.lines.count >= Self.mostBytes { waiting.omitted += 1 }
            return waiting.lines.count < Self.mostBytes
        }
        guard hasRoom else { return }
        let line = line()
        waiting.withLock { $0.lines += line }
    }

    /// The lines since the last call, and how many more there would have been.
    public func take() -> (lines: [UInt8], omitted: Int) {
        waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return (waiting.lines, waiting.omitted)
        }
    }
}

/// Writes the requests of one loop as lines, for each reader that wants them. Confined to its loop.
final class TailWriter {
    private let tails: Tails
    private var combined = LogLines(.combined)
    private var json = LogLines(.json)

    init(_ tails: Tails) {
        self.tails = tails
    }

    var isRead: Bool { tails.isRead }

    func record(_ request: LoggedRequest, nanoseconds: Int64, on connection: ClientConnection) {
        for tail in tails.all {
            let isWanted = tail.conditions.allSatisfy {
                $0.holds(for: request, nanoseconds: nanoseconds, on: connection)
            }
            guard isWanted else { continue }
            tail.add { line(tail.format, request, nanoseconds, connection) }
        }
    }

    private func line(
        _ format: AccessLogFormat, _ request: LoggedRequest, _ nanoseconds: Int64, _ connection: ClientConnection
    ) -> [UInt8] {
        switch format {
        case .combined:
            combined.append(request, nanoseconds: nanoseconds, on: connection)
            return combined.take()
        case .json:
            json.append(request, nanoseconds: nanoseconds, on: connection)
            return json.take()
        }
    }
}
