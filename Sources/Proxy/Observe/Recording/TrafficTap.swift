import Cache
import EventLoop
import HTTP

/// One loop's share of a recording: notes what was answered, and hands it over in batches.
///
/// Confined to its loop. A request costs no allocation, no lock and no call to the system here, and nothing ever waits: when the
/// writer is behind, requests are left out and counted.
final class TrafficTap {
    private let recorder: TrafficRecorder
    private let loop: EventLoop
    private var batch = TrafficBatch()
    private var flushToken: TimerToken?
    private var random = UInt64.random(in: .min ... .max)

    private static let flushInterval = Duration.milliseconds(200)

    init(_ recorder: TrafficRecorder, _ loop: EventLoop) {
        self.recorder = recorder
        self.loop = loop
    }

    @inline(__always)
    var isOn: Bool { recorder.share > 0 }

    /// Notes an answered request. One that was not understood is not: nothing is known of what is in it.
    func note(
        _ answered: AnsweredRequest, _ nanoseconds: Int64, _ answer: TrafficAnswer, on connection: ClientConnection
    ) {
        guard isInSample(), answered.isUnderstood else { return }
        if batch.isFull, !handOver() {
            batch.dropped += 1
            return
        }
        let isPersonal = answered.isPersonal
        let (excerpt, place) = excerpt(answered, isPersonal, connection)
        batch.events.append(
            TrafficEvent(
                requestedAt: connection.requestedAt.nanoseconds, latency: nanoseconds,
                upstreamTime: answered.upstreamTime, cacheStatus: answered.cacheStatus, status: answered.status,
                length: answered.contentLength, isPersonal: isPersonal, excerpt: excerpt, place: place,
                answer: isPersonal ? .untold : answer))
        // What is asked for again and again is kept by the cache anyway.
        if excerpt.isEmpty { batch.byteCount += answer.byteCount }
        if flushToken == nil { flushLater() }
    }

    /// Hands over what has gathered; false where the writer is too far behind to take it.
    @discardableResult
    func handOver() -> Bool {
        guard !batch.events.isEmpty || batch.dropped > 0 else { return true }
        guard recorder.take(batch) else { return false }
        batch = TrafficBatch()
        return true
    }

    /// A linear congruential generator (Knuth's): its upper half is random enough to choose requests by.
    @inline(__always)
    private func isInSample() -> Bool {
        let share = recorder.share
        guard share < TrafficRecorder.wholeShare else { return true }
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: random >> 32) < share
    }

    private func excerpt(
        _ answered: AnsweredRequest, _ isPersonal: Bool, _ connection: ClientConnection
    ) -> ([UInt8], Range<Int>) {
        if !isPersonal, let known = connection.known { return (known.excerpt, 0..<0) }
        let start = batch.excerpts.count
        connection.withHeadBytes { bytes in
            if let template = answered.template, isPersonal {
                connection.head.appendPersonalExcerpt(bytes, template: template, to: &batch.excerpts)
            } else {
                connection.head.appendExcerpt(bytes, to: &batch.excerpts)
            }
        }
        return ([], start..<batch.excerpts.count)
    }

    private func flushLater() {
        flushToken = loop.schedule(at: loop.now + Self.flushInterval) { [weak self] in
            guard let self else { return }
            flushToken = nil
            if !handOver() { flushLater() }
        }
    }
}

extension AnsweredRequest {
    /// Whose target is written: `-` stands for one that was refused before anything was known of it.
    fileprivate var isUnderstood: Bool { template.map { $0.utf8Start.pointee != UInt8(ascii: "-") } ?? true }

    /// Whether it is one user's, by its route, its key, or the token that it brought.
    fileprivate var isPersonal: Bool { template != nil }
}
