import Dispatch
import EventLoop
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Proxy
@testable import Recording

@Suite(.timeLimit(.minutes(10))) struct TrafficTapTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Fields are chosen by their ids on the loops, and by their names when they are written.
    @Test func theLoopsTakeTheFieldsThatAreRecorded() {
        func names(_ isKept: (FieldName) -> Bool) -> Set<String> {
            Set(FieldName.allCases.filter(isKept).map(\.spelling))
        }
        #expect(names(\.isRecorded) == RecordedFields.ofRequests)
        #expect(names(\.isRecordedOfPersonal) == RecordedFields.ofPersonalRequests)
    }

    private func count(_ name: String = "traffic.jsonl") throws -> Int {
        try RecordingReader(path: folder.file(name)).rest().count
    }

    private func event() -> TrafficEvent {
        TrafficEvent(
            requestedAt: Instant.now().nanoseconds + 3_600_000_000_000, latency: 0, upstreamTime: nil, cacheStatus: nil,
            status: 200, length: 0, age: -1, isHTTP2: false, subject: 0)
    }

    private func batch(_ count: Int) -> TrafficBatch {
        var batch = TrafficBatch()
        batch.events = [TrafficEvent](repeating: event(), count: count)
        batch.subjects = [
            TrafficSubject(isPersonal: false, excerpt: Array("GET /v1/a\r".utf8), place: 0..<0, answer: .untold)
        ]
        return batch
    }

    /// A writer that is stuck costs memory up to a bound, and then requests.
    @Test(arguments: [false, true]) func waitingExchangesAndBytesAreBounded(isLarge: Bool) {
        let recorder = TrafficRecorder()
        let (holds, stands) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The thread waits in this until the test lets go.
        recorder.begin(RecordingSettings(path: "/nonexistent/traffic")) { _ in
            stands.signal()
            holds.waitOrFail()
        }
        stands.waitOrFail(within: 900)
        var batch = TrafficBatch()
        batch.events = [TrafficEvent](repeating: event(), count: isLarge ? 1 : TrafficBatch.capacity)
        if isLarge { batch.byteCount = 8 << 20 }
        var taken = 0
        while recorder.take(batch) { taken += batch.events.count }
        let most = TrafficRecorder.mostWaiting
        let expected = isLarge ? TrafficRecorder.mostWaitingBytes >> 23 : most
        #expect((expected..<expected + batch.events.count).contains(taken) && !recorder.take(batch))
        holds.signal()
        // It has caught up, and takes more; without a recording in progress all of it was left out.
        recorder.endAndWait()
        #expect(recorder.status.dropped == taken)
        #expect(recorder.take(batch))
    }

    /// A loop that found another at the same place left its exchanges out.
    @Test func loopsThatHandOverAtOnceLoseNothing() throws {
        let recorder = TrafficRecorder()
        recorder.beginAndWait(RecordingSettings(path: folder.file()))
        let (loops, rounds) = (8, 400)
        let refused = Atomic<Int>(0)
        concurrently(loops) { _ in
            for _ in 0..<rounds where !recorder.take(batch(1)) { refused.add(1, ordering: .relaxed) }
        }
        recorder.endAndWait()
        #expect(refused.load(ordering: .relaxed) == 0 && recorder.status.dropped == 0)
        #expect(recorder.status.exchanges == loops * rounds)
        #expect(try count() == loops * rounds)
    }

    /// The writer runs when nothing else wants to, and may be stopped wherever it is.
    @Test func aStoppedThreadHoldsNoLoopUpAndBatchesStayInOrder() {
        let recorder = TrafficRecorder()
        #expect(recorder.state.withLock { _ in recorder.take(batch(1)) } == true)
        let queue = BatchQueue()
        for count in 1...5 { queue.add(batch(count)) }
        #expect(queue.takeAll().map(\.events.count) == [1, 2, 3, 4, 5] && queue.takeAll().isEmpty)
    }

    /// It answered "on", and then the end of the earlier stop switched it off.
    @Test func aRecordingBegunBetweenAStopAndItsEndGoesOn() throws {
        let settings = RecordingSettings(path: folder.file())
        let recorder = TrafficRecorder()
        recorder.beginAndWait(settings)
        let paused = recorder.pause()
        #expect(recorder.share == 0)
        recorder.beginAndWait(settings)
        recorder.endAndWait(paused)
        #expect(recorder.share == TrafficRecorder.wholeShare && recorder.status.isOn)
        _ = recorder.take(batch(3))
        recorder.endAndWait()
        #expect(recorder.share == 0 && !recorder.status.isOn)
        #expect(try count() == 3)
        // An order to begin that is carried out after the pause takes nothing.
        let late = TrafficRecorder()
        let holds = DispatchSemaphore(value: 0)
        late.begin(RecordingSettings(path: folder.file("late"))) { _ in holds.waitOrFail() }
        late.begin(RecordingSettings(path: folder.file("late"))) { _ in }
        let pausedLate = late.pause()
        holds.signal()
        late.endAndWait(pausedLate)
        #expect(late.share == 0 && !late.status.isOn)
        // The line was changed, and the end of the old recording had not come yet.
        let other = TrafficRecorder()
        other.beginAndWait(RecordingSettings(path: folder.file("a")))
        _ = other.take(batch(1))
        let pausedOther = other.pause()
        other.beginAndWait(RecordingSettings(path: folder.file("b")))
        other.endAndWait(pausedOther)
        _ = other.take(batch(2))
        other.endAndWait()
        #expect(try count("a") == 1 && count("b") == 2)
    }

    /// Recording stayed off, and its status said nothing of it. The name of the bodies is too long.
    @Test func aDiskThatRefusesTheFirstWriteIsReported() throws {
        let warnings = Mutex<[String]>([])
        let recorder = TrafficRecorder(program: "test") { text in warnings.withLock { $0.append(text) } }
        recorder.beginAndWait(RecordingSettings(path: folder.file(String(repeating: "x", count: 250))))
        #expect(recorder.status.isOn && recorder.status.problem?.hasSuffix(": File name too long") == true)
        #expect(warnings.withLock { $0.count == 1 && $0[0].hasSuffix("dropped until the file can be written again") })
        _ = recorder.take(batch(3))
        recorder.endAndWait()
        #expect(recorder.status.dropped == 3 && recorder.status.problem == nil)
    }

    @Test func theStatusShowsWhyARecordingDidNotBegin() throws {
        try folder.put("mine".utf8, "traffic.jsonl")
        let recorder = TrafficRecorder()
        let done = DispatchSemaphore(value: 0)
        recorder.begin(RecordingSettings(path: folder.file("traffic.jsonl"))) { error in
            #expect(error != nil)
            done.signal()
        }
        done.waitOrFail(within: 900)
        #expect(!recorder.status.isOn && recorder.status.problem?.contains("is not a recording") == true)
        try folder.remove("traffic.jsonl")
        recorder.beginAndWait(RecordingSettings(path: folder.file("traffic.jsonl")))
        #expect(recorder.status.isOn && recorder.status.problem == nil)
        recorder.endAndWait()
    }

    /// A reload waited for a thread that was never there.
    @Test func withoutAThreadRecordingIsRefusedAndNothingWaits() throws {
        let warnings = Mutex<[String]>([])
        let failures = Mutex<[RecordingError?]>([])
        let hasThreads = Atomic<Bool>(false)
        let recorder = TrafficRecorder(program: "test") { text in
            warnings.withLock { $0.append(text) }
        } startThread: { body in
            hasThreads.load(ordering: .relaxed) ? BackgroundThread.start(body) : EAGAIN
        }
        let settings = RecordingSettings(path: folder.file())
        recorder.begin(settings) { error in failures.withLock { $0.append(error) } }
        #expect(failures.withLock { $0 } == [.cannotWrite(path: settings.path, code: EAGAIN)])
        #expect(
            warnings.withLock { $0.count == 1 && $0[0].contains("thread could not be started") }
                && !recorder.status.isOn)
        hasThreads.store(true, ordering: .relaxed)
        recorder.beginAndWait(settings)
        #expect(recorder.status.isOn)
        recorder.endAndWait()
    }

    /// A service may be forbidden to change priorities.
    @Test func aThreadThatDoesNotGiveWayIsAWarning() throws {
        let warnings = Mutex<[String]>([])
        let recorder = TrafficRecorder(program: "test") { text in
            warnings.withLock { $0.append(text) }
        } startThread: { body in
            BackgroundThread.start { _ in body(EPERM) }
        }
        recorder.beginAndWait(RecordingSettings(path: folder.file()))
        recorder.endAndWait()
        #expect(warnings.withLock { $0.count == 1 && $0[0].contains("lowest priority (Operation not permitted)") })
    }
}

extension TrafficRecorder {
    fileprivate func beginAndWait(_ settings: RecordingSettings) {
        let done = DispatchSemaphore(value: 0)
        begin(settings) { error in
            #expect(error == nil)
            done.signal()
        }
        done.waitOrFail(within: 900)
    }

    fileprivate func endAndWait(_ paused: Int? = nil) {
        let done = DispatchSemaphore(value: 0)
        end(paused) { done.signal() }
        done.waitOrFail(within: 900)
    }
}
