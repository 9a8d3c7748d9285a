import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Cache

struct IdleWriterTests {
    private func started(_ drain: @escaping @Sendable () -> Void) -> IdleWriter {
        let writer = IdleWriter()
        writer.start(drain)
        waitUntil { writer.mayWrite }
        return writer
    }

    @Test func itRunsEachTimeItIsWoken() {
        let runs = DispatchSemaphore(value: 0)
        let writer = started { runs.signal() }
        for _ in 0..<3 {
            #expect(writer.write())
            runs.wait()
        }
        writer.end()
    }

    @Test func whoOvertakesItWritesForAWhile() {
        let writer = started {}
        writer.overtake()
        #expect(!writer.mayWrite && !writer.write())
        writer.end()
    }

    @Test func withoutAThreadItTakesNothing() {
        #expect(!IdleWriter().write())
    }

    /// What an idle thread has begun is gone on with by others, and nothing is lost between them.
    @Test func everythingIsWrittenOnceWhoeverWrites() throws {
        let scratch = Scratch()
        let store = scratch.open()
        let count = 3_000
        for number in 0..<count {
            store.store(response("/\(number)"))
            if number % 700 == 699 { store.flush() }
        }
        store.flush()
        #expect(store.entries == count && store.status.dropped == 0)
        store.close()
    }
}
