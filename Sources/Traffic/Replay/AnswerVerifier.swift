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

final class AnswerVerifier: Sendable {
    private struct Pair: Hashable {
        let recorded: BodyHash
        let found: BodyHash
    }

    private struct State {
        var result = ReplayResult.Verification()
        /// The exchanges that `result` lists.
        private var listed: Set<Int> = []
        var heldBytes = 0
        /// The last answer that was compared with each recorded body. The next one is mostly the
        /// same, and comparing bytes costs a fiftieth of a SHA-256. No verdict: they are equal.
        var seen: [BodyHash: (content: [UInt8], verdict: JSONDifference?)] = [:]
        private var seenBytes = 0
        /// Remembered differences of two bodies; nil: equal.
        var verdicts: [Pair: JSONDifference?] = [:]

        mutating func leaveOut(_ reason: Uncompared) { result.notCompared[reason.rawValue, default: 0] += 1 }

        mutating func remember(_ content: [UInt8], _ verdict: JSONDifference?, _ recorded: BodyHash) {
            let before = seen[recorded]?.content.count ?? 0
            guard seenBytes - before + content.count <= AnswerVerifier.mostHeld else { return }
            seenBytes += content.count - before
            seen[recorded] = (content, verdict)
        }

        mutating func note(_ difference: JSONDifference?, _ request: PlannedRequest) {
            result.compared += 1
            guard let difference else { return }
            result.different += 1
            // A request that is sent several times is listed once.
            guard result.listed.count < ReplayResult.Verification.mostListed, listed.insert(request.index).inserted
            else { return }
            result.listed.append(
                ReplayResult.Difference(
                    index: request.index, method: request.method, target: request.target, what: difference.path,
                    expected: difference.expected, found: difference.found))
        }
    }

    /// Bytes of answers that wait for comparison; the same bound for the last compared ones.
    static let mostHeld = 64 << 20
    private static let mostVerdicts = 100_000

    private let bodies: RecordedBodies
    private let queue = DispatchQueue(label: "refrain.verify")
    private let state = Mutex(State())

    init(_ bodies: RecordedBodies) { self.bodies = bodies }

    /// Compares the answer to a request with its recorded one. On the run's loop.
    func take(_ reader: AnswerReader, to request: PlannedRequest) {
        guard request.recordedStatus > 0 else { return state.withLock { $0.leaveOut(.noAnswer) } }
        guard reader.status == request.recordedStatus else {
            let difference = JSONDifference(
                path: "status", expected: String(request.recordedStatus), found: String(reader.status))
            return state.withLock { $0.note(difference, request) }
        }
        guard let recorded = request.body else {
            // Neither has content: equal. Anything else cannot be compared.
            let isEqual = reader.length == 0 && (!request.hadContent || request.isHead)
            return state.withLock { if isEqual { $0.note(nil, request) } else { $0.leaveOut(.noContent) } }
        }
        guard let coding = reader.coding else { return state.withLock { $0.leaveOut(.unreadableCoding) } }
        let isKnown = state.withLock { state in
            guard let seen = state.seen[recorded], seen.content == reader.content else { return false }
            state.note(seen.verdict, request)
            return true
        }
        guard !isKnown, let found = BodyHash(of: reader.content) else { return }
        guard found != recorded else {
            return state.withLock { state in
                state.remember(reader.content, nil, recorded)
                state.note(nil, request)
            }
        }
        let pair = Pair(recorded: recorded, found: found)
        let isToBeLookedAt = state.withLock { state in
            if let verdict = state.verdicts[pair] {
                state.note(verdict, request)
                return false
            }
            guard state.heldBytes + reader.content.count <= Self.mostHeld else {
                state.leaveOut(.tooMany)
                return false
            }
            state.heldBytes += reader.content.count
            return true
        }
        guard isToBeLookedAt else { return }
        let content = reader.content
        queue.async { @Sendable in self.look(at: content, coding, request, pair) }
    }

    /// Waits for the comparisons and returns their result.
    func finish() -> ReplayResult.Verification {
        queue.sync {}
        return state.withLock { state in
            state.result.listed.sort { $0.index < $1.index }
            return state.result
        }
    }

    // MARK: On the queue

    private func look(
        at content: [UInt8], _ coding: ContentCoding, _ request: PlannedRequest, _ pair: Pair
    ) {
        let finding = Result { () throws(Uncompared) in try compare(content, coding, pair) }
        state.withLock { state in
            state.heldBytes -= content.count
            switch finding {
            case .failure(let reason): state.leaveOut(reason)
            case .success(let verdict):
                if state.verdicts.count < Self.mostVerdicts { state.verdicts[pair] = verdict }
                state.remember(content, verdict, pair.recorded)
                state.note(verdict, request)
            }
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
