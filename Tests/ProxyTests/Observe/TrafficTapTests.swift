import Dispatch
import HTTP
import Recording
import Testing

@testable import Proxy

@Suite struct TrafficTapTests {
    /// Fields are chosen by their ids on the loops, and by their names when they are written.
    @Test func theLoopsTakeTheFieldsThatAreRecorded() {
        func names(_ isKept: (FieldName) -> Bool) -> Set<String> {
            Set(FieldName.allCases.filter(isKept).map { "\($0.text)".lowercased() })
        }
        #expect(names(\.isRecorded) == RecordedFields.ofRequests)
        #expect(names(\.isRecordedOfPersonal) == RecordedFields.ofPersonalRequests)
    }

    private func event() -> TrafficEvent {
        TrafficEvent(
            requestedAt: .max, latency: 0, upstreamTime: nil, cacheStatus: nil, status: 200, length: 0,
            age: -1, subject: 0)
    }

    /// A writer that is stuck costs memory up to a bound, and then requests.
    @Test func whatWaitsIsBounded() {
        let recorder = TrafficRecorder()
        let holds = Holds()
        // The thread stands still in this until the test lets go.
        recorder.begin(RecordingSettings(path: "/nonexistent/traffic")) { _ in holds.wait() }
        var batch = TrafficBatch()
        batch.events = [TrafficEvent](repeating: event(), count: TrafficBatch.capacity)
        var taken = 0
        while recorder.take(batch) { taken += batch.events.count }
        #expect(taken >= TrafficRecorder.mostWaiting && taken < TrafficRecorder.mostWaiting + batch.events.count)
        #expect(!recorder.take(batch))
        holds.release()
        // It has caught up, and takes more; without a recording in progress all of it was left out.
        recorder.endAndWait()
        #expect(recorder.status.dropped == taken)
        #expect(recorder.take(batch))
    }

    @Test func whatWaitsIsBoundedInBytesToo() {
        let recorder = TrafficRecorder()
        let holds = Holds()
        recorder.begin(RecordingSettings(path: "/nonexistent/traffic")) { _ in holds.wait() }
        var batch = TrafficBatch()
        batch.events = [event()]
        batch.byteCount = 8 << 20
        var taken = 0
        while recorder.take(batch) { taken += batch.byteCount }
        #expect(taken == TrafficRecorder.mostWaitingBytes)
        holds.release()
        recorder.endAndWait()
        #expect(recorder.take(batch))
    }
}

/// Something to stand still at.
private final class Holds: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    func release() { semaphore.signal() }
}

extension TrafficRecorder {
    fileprivate func endAndWait() {
        let done = DispatchSemaphore(value: 0)
        end { done.signal() }
        done.wait()
    }
}
