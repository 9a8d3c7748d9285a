import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import refrain

@Suite struct HeapRoomTests {
    private let page = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Counts on a new thread, whose memory is its own (glibc gives each thread an arena).
    private func count(_ body: @escaping @Sendable () -> Int) -> Int {
        let counted = Mutex(0)
        let thread = Thread { counted.withLock { $0 = body() } }
        thread.start()
        waitUntil { thread.isFinished }
        return counted.withLock { $0 }
    }

    private func isPresent(_ address: UnsafeMutableRawPointer) -> Bool {
        var present: UInt8 = 0
        mincore(UnsafeMutableRawPointer(bitPattern: Int(bitPattern: address) & ~(page - 1)), page, &present)
        return present & 1 == 1
    }

    /// Counts those of 4,096 answers of 2 KiB after which the kernel has yet to bring a page. The
    /// page of their end is present: the C library writes there how much is left.
    private func missingPages(_ kept: inout [UnsafeMutableRawPointer], tellingOf room: inout HeapRoom?) -> Int {
        var missing = 0
        for _ in 0..<4096 {
            let answer = malloc(2048)!
            if !isPresent(answer + 2048 + page) { missing += 1 }
            memset(answer, 1, 2048)
            kept.append(answer)
            room?.note(2048)
        }
        return missing
    }

    /// Whether the kernel brings pages on request, which it does from 5.14 on.
    private var kernelPopulates: Bool {
        let memory = mmap(nil, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        defer { munmap(memory, page) }
        return madvise(memory, page, MADV_POPULATE_WRITE) == 0
    }

    @Test func keptMemoryHasItsPages() {
        // Free memory at the end of the heap would go back to the kernel otherwise.
        AllocatorSettings.apply()
        let with = count {
            var kept: [UnsafeMutableRawPointer] = []
            defer { for answer in kept { free(answer) } }
            var (noRoom, room): (HeapRoom?, HeapRoom?) = (nil, HeapRoom())
            // The holes that others have left in this memory are filled first.
            while missingPages(&kept, tellingOf: &noRoom) < 1000, kept.count < 1 << 17 {}
            return missingPages(&kept, tellingOf: &room)
        }
        #expect(with < 250 || !kernelPopulates || Patience.isSanitized, "\(with) pages were missing")
    }

    @Test func roomIsNoMemoryThatIsHeld() {
        let heldPages = count {
            var room = HeapRoom()
            let before = residentPages()
            for _ in 0..<10_000 { room.note(HeapRoom.piece) }
            return residentPages() - before
        }
        // Other tests take memory meanwhile, if not a GiB; this test asks for more.
        #expect(heldPages * page < 900 << 20)
    }
}

private func residentPages() -> Int {
    let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return Int(sizes.split(separator: " ").dropFirst().first ?? "") ?? 0
}
