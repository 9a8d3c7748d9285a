import Dispatch
import HTTP
import Recording
import Synchronization
import Text

// Compares answers with those of the recording.
//
// Must hold: on its loop the generator compares bytes with the last answer, or makes a digest of
// new ones. Contents that differ from the recording are compared on a queue that holds a bounded
// number of bytes; an answer beyond that bound counts as not compared. An answer counts as
// different only if both contents could be read. Each answer is compared, or counted as not
// compared with a reason.

/// Compares answers with recorded ones.
final class AnswerVerifier: Sendable {
    private struct Pair: Hashable {
        let recorded: BodyHash
        let found: BodyHash
    }

    private struct State {
        var compared = 0
        var different = 0
        var notCompared: [String: Int] = [:]
        var listed: [Int: ReplayResult.Difference] = [:]
        var heldBytes = 0
        /// The last answer that was compared with each recorded body. The next one is mostly the
        /// same, and comparing bytes costs a fiftieth of a SHA-256. No verdict: they are equal.
        var seen: [BodyHash: (content: [UInt8], verdict: JSONDifference?)] = [:]
        var seenBytes = 0
        /// Remembered differences of two bodies; nil: equal.
        var verdicts: [Pair: JSONDifference?] = [:]
    }

    /// Bytes of answers that wait for comparison; the same bound for the last compared ones.
    static let mostHeld = 64 << 20
    /// Pairs of bodies that are remembered.
    private static let mostVerdicts = 100_000

    private let planned: PlannedRequests
    private let bodies: RecordedBodies
    private let queue = DispatchQueue(label: "refrain.verify")
    private let state = Mutex(State())

    init(_ planned: PlannedRequests, _ bodies: RecordedBodies) {
        self.planned = planned
        self.bodies = bodies
    }

    /// Compares the answer to an entry with its recorded one. On the run's loop.
    func take(_ reader: AnswerReader, toEntry number: Int) {
        let entry = planned.entries[number]
        guard entry.status > 0 else { return leaveOut(.noAnswer) }
        guard reader.status == entry.status else {
            let difference = JSONDifference(
                path: "status", expected: String(entry.status), found: String(reader.status))
            return state.withLock { Self.note(difference, entry, planned, &$0) }
        }
        guard let recorded = entry.body else {
            // Neither has content: equal. Anything else cannot be compared.
            let hadNone = !entry.hasContent || entry.isWithoutContent || planned.requests[entry.request].isHead
            guard reader.length == 0, hadNone else {
                return leaveOut(.noContent)
            }
            return state.withLock { $0.compared += 1 }
        }
        guard let coding = reader.coding else { return leaveOut(.unreadableCoding) }
        let isKnown = state.withLock { state in
            guard let seen = state.seen[recorded], seen.content == reader.content else { return false }
            Self.note(seen.verdict, entry, planned, &state)
            return true
        }
        guard !isKnown, let found = BodyHash(of: reader.content) else { return }
        guard found != recorded else {
            return state.withLock { state in
                Self.remember(reader.content, nil, recorded, &state)
                Self.note(nil, entry, planned, &state)
            }
        }
        let pair = Pair(recorded: recorded, found: found)
        let isToBeLookedAt = state.withLock { state in
            if let verdict = state.verdicts[pair] {
                Self.note(verdict, entry, planned, &state)
                return false
            }
            guard state.heldBytes + reader.content.count <= Self.mostHeld else {
                state.notCompared[Uncompared.tooMany.rawValue, default: 0] += 1
                return false
            }
            state.heldBytes += reader.content.count
            return true
        }
        guard isToBeLookedAt else { return }
        let content = reader.content
        queue.async { @Sendable in self.look(at: content, coding, entry, pair) }
    }

    private func leaveOut(_ reason: Uncompared) {
        state.withLock { $0.notCompared[reason.rawValue, default: 0] += 1 }
    }

    /// Waits for the comparisons and returns their result.
    func finish() -> ReplayResult.Verification {
        queue.sync {}
        return state.withLock { state in
            ReplayResult.Verification(
                compared: state.compared, different: state.different, notCompared: state.notCompared,
                listed: state.listed.values.sorted { $0.index < $1.index })
        }
    }

    // MARK: On the queue

    private func look(
        at content: [UInt8], _ coding: ContentCoding, _ entry: PlannedRequests.Entry, _ pair: Pair
    ) {
        let finding = Result { () throws(Uncompared) in try compare(content, coding, pair) }
        state.withLock { state in
            state.heldBytes -= content.count
            let verdict: JSONDifference?
            switch finding {
            case .failure(let reason):
                state.notCompared[reason.rawValue, default: 0] += 1
                return
            case .success(let difference): verdict = difference
            }
            if state.verdicts.count < Self.mostVerdicts { state.verdicts[pair] = verdict }
            Self.remember(content, verdict, pair.recorded, &state)
            Self.note(verdict, entry, planned, &state)
        }
    }

    /// The first difference; nil: they are equal.
    private func compare(
        _ content: [UInt8], _ coding: ContentCoding, _ pair: Pair
    ) throws(Uncompared) -> JSONDifference? {
        do {
            let found = try plain(content, coding)
            guard let recorded = try bodies.identity(of: pair.recorded) else { throw Uncompared.noContent }
            return JSONDifference.first(expected: recorded, found: found)
        } catch {
            throw error as? Uncompared ?? .unreadable
        }
    }

    private func plain(_ content: [UInt8], _ coding: ContentCoding) throws -> [UInt8] {
        guard coding == .gzip, content.starts(with: [0x1F, 0x8B]) else { return content }
        return try Gzip.system.inflate(content)
    }

    private static func remember(
        _ content: [UInt8], _ verdict: JSONDifference?, _ recorded: BodyHash, _ state: inout State
    ) {
        let before = state.seen[recorded]?.content.count ?? 0
        guard state.seenBytes - before + content.count <= mostHeld else { return }
        state.seenBytes += content.count - before
        state.seen[recorded] = (content, verdict)
    }

    private static func note(
        _ difference: JSONDifference?, _ entry: PlannedRequests.Entry, _ planned: PlannedRequests, _ state: inout State
    ) {
        state.compared += 1
        guard let difference else { return }
        state.different += 1
        // A request that is sent several times is listed once.
        guard state.listed[entry.index] == nil, state.listed.count < ReplayResult.Verification.mostListed else {
            return
        }
        let request = planned.requests[entry.request]
        state.listed[entry.index] = ReplayResult.Difference(
            index: entry.index, method: request.method, target: request.target, what: difference.path,
            expected: difference.expected, found: difference.found)
    }
}

extension AnswerReader {
    /// The content coding; nil for several ones and for those that cannot be decoded.
    fileprivate var coding: ContentCoding? {
        let lines = head.fields.filter { $0.id == .contentEncoding }
        guard let line = lines.first else { return .identity }
        guard lines.count == 1 else { return nil }
        return ContentCoding.named(headBytes.span.extracting(line.value.range))
    }
}
