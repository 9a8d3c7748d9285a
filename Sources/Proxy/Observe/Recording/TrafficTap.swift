import Cache
import EventLoop
import Freshness
import HTTP
import Server

/// A loop's share of a recording: notes answered requests, and hands them over in batches.
///
/// Confined to its loop. A request costs no allocation, no lock and no call to the system here, and
/// nothing ever waits: when the writer is behind, requests are left out and counted.
final class TrafficTap {
    private let recorder: TrafficRecorder
    private let loop: EventLoop
    private var batch = TrafficBatch()
    /// Number of the batch; no two of a loop have the same.
    private var number = 1
    /// Stored answers that the batch has counted.
    private var counted: Set<ObjectIdentifier> = []
    private var flushToken: TimerToken?
    private var random = UInt64.random(in: .min ... .max)

    private static let flushInterval = Duration.milliseconds(200)

    init(_ recorder: TrafficRecorder, _ loop: EventLoop) {
        (self.recorder, self.loop) = (recorder, loop)
    }

    @inline(__always)
    var isOn: Bool { recorder.share > 0 }

    /// Notes a request that was answered with a stored answer.
    /// - Parameter known: the memoized plan of the request, where that is at hand.
    func note(
        _ answered: borrowing AnsweredRequest, _ nanoseconds: Int64, _ stored: StoredResponse, _ form: AnswerForm,
        _ coding: ContentCoding, age: Int, _ known: MemoizedPlan?, on connection: ClientConnection
    ) {
        guard isInSample() else { return }
        // Most of busy traffic is the same again. No reference is counted for it.
        if form == .whole, !batch.isFull, let noted = known?.noted, noted.stands(for: stored, coding, in: number) {
            return append(answered, nanoseconds, age: age, subject: noted.index, connection)
        }
        note(answered, nanoseconds, .stored(stored, form, coding), age: age, connection)
    }

    /// Notes a request that was answered otherwise.
    func note(
        _ answered: borrowing AnsweredRequest, _ nanoseconds: Int64, _ answer: TrafficAnswer,
        on connection: ClientConnection
    ) {
        guard isInSample() else { return }
        note(answered, nanoseconds, answer, age: -1, connection)
    }

    private func note(
        _ answered: borrowing AnsweredRequest, _ nanoseconds: Int64, _ answer: TrafficAnswer, age: Int,
        _ connection: ClientConnection
    ) {
        if batch.isFull, !handOver() {
            batch.dropped += 1
            return
        }
        if batch.events.isEmpty { batch.events.reserveCapacity(TrafficBatch.capacity) }
        append(
            answered, nanoseconds, age: age, subject: subject(answered, answer, connection), connection)
        if flushToken == nil { flushLater() }
    }

    @inline(__always)
    private func append(
        _ answered: borrowing AnsweredRequest, _ nanoseconds: Int64, age: Int, subject: Int,
        _ connection: ClientConnection
    ) {
        batch.events.append(
            TrafficEvent(
                requestedAt: connection.requestedAt.nanoseconds, latency: nanoseconds,
                upstreamTime: answered.asked.time, cacheStatus: answered.cacheStatus, status: answered.status,
                length: answered.contentLength, age: age, isHTTP2: connection.isHTTP2, subject: subject))
    }

    /// Adds a subject; later events of the same request with the same answer refer to it.
    private func subject(
        _ answered: borrowing AnsweredRequest, _ answer: TrafficAnswer, _ connection: ClientConnection
    ) -> Int {
        let index = batch.subjects.count
        let known = connection.repeated?.madePlan
        batch.byteCount += byteCount(of: answer, known)
        let (template, start) = (answered.template, batch.excerpts.count)
        var excerpt: [UInt8] = []
        connection.withHeadBytes { bytes in
            if let template {
                connection.head.appendPersonalExcerpt(bytes, template: template, to: &batch.excerpts)
            } else if let known {
                excerpt = known.excerpt(of: connection.head, bytes)
            } else {
                connection.head.appendExcerpt(bytes, to: &batch.excerpts)
            }
        }
        batch.subjects.append(
            TrafficSubject(
                isPersonal: template != nil, excerpt: excerpt, place: start..<batch.excerpts.count,
                answer: template == nil ? answer : .untold))
        if template == nil, let known, case .stored(let stored, .whole, let coding) = answer {
            known.noted = NotedSubject(batch: number, index: index, stored, coding)
        }
        batch.byteCount += batch.subjects[index].place.count
        return index
    }

    /// Bytes that the answer may keep from being freed: the cache may let go of the stored answer
    /// while this waits.
    ///
    /// Those of a stored answer count when it is new to its batch and to its request, and not with
    /// every batch in which it comes again: it can only go where others take its place in the
    /// cache, and these count.
    private func byteCount(of answer: TrafficAnswer, _ known: MemoizedPlan?) -> Int {
        guard case .stored(let stored, _, _) = answer else { return answer.byteCount }
        guard known?.noted?.isAbout(stored) != true, counted.insert(ObjectIdentifier(stored)).inserted else { return 0 }
        return answer.byteCount
    }

    /// Hands over the gathered batch; false where the writer is too far behind to take it, and this
    /// is not the last of it.
    @discardableResult
    func handOver(isLast: Bool = false) -> Bool {
        guard !batch.events.isEmpty || batch.dropped > 0 else { return true }
        guard recorder.take(batch, isLast: isLast) else { return false }
        batch = TrafficBatch()
        counted.removeAll(keepingCapacity: true)
        number += 1
        return true
    }

    /// A linear congruential generator (Knuth's): its upper half is random enough to choose
    /// requests by.
    @inline(__always)
    private func isInSample() -> Bool {
        let share = recorder.share
        guard share < TrafficRecorder.wholeShare else { return true }
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: random >> 32) < share
    }

    private func flushLater() {
        flushToken = loop.schedule(at: loop.now + Self.flushInterval) { [weak self] in
            guard let self else { return }
            flushToken = nil
            if !handOver() { flushLater() }
        }
    }
}
