import EventLoop
import Recording

// The order of a plan. A recording of any length takes a bounded part of memory: entries are
// sorted outside of it.
//
// Must hold: equal times keep the order of the recording. Lines are written when answers end, so a
// recording is almost in order: a window of entries sorts most of them into one run.

/// The entries of a plan, by the time at which their requests came.
///
/// Confined to its owner.
final class PlannedEntries {
    struct Entry: Equatable {
        /// Time of arrival, in nanoseconds since the recording began.
        let offset: Int64
        /// The place of the request among the plan's messages.
        var message: Range<Int>
        /// Number of the exchange in the recording, from 0.
        let index: Int
        /// 0 if unknown.
        let status: Int
        /// Whether content was recorded, or at least its length.
        let hasContent: Bool
        /// nil: not recorded, or not wanted.
        let body: BodyHash?

        var isWithoutContent: Bool { status == 204 || status == 304 }

        fileprivate static func isBefore(_ one: Entry, _ other: Entry) -> Bool {
            (one.offset, one.index) < (other.offset, other.index)
        }
    }

    /// Whether entries keep the hashes of bodies.
    private let keepsBodies: Bool
    private let window: Int
    private let most: Int
    private var spool: Spool
    /// The number of entries of each sorted run.
    private var runs: [Int] = []
    /// The entries that are not in a run yet, as a heap: those of the run that is being written
    /// before those of the next one.
    private var heap: [(run: Int, entry: Entry)] = []
    private var run = 0
    private var last: Entry?

    /// Entries that are held while a recording is read.
    private static let usualWindow = 1 << 15
    /// Bytes of entries that need no file.
    private static let usualMost = 4 << 20
    /// Runs that are merged at once, each read by pages.
    private static let mostMerged = 64

    init(keepsBodies: Bool = false, window: Int = usualWindow, most: Int = usualMost) {
        (self.keepsBodies, self.window, self.most) = (keepsBodies, window, most)
        spool = Spool(most: most)
    }

    var count: Int { runs.reduce(0, +) + heap.count }

    // MARK: - Writing

    func append(_ entry: Entry) throws(SystemError) {
        if heap.count == window { try writeFirst() }
        // An entry that comes too late for this run waits for the next.
        let isLate = last.map { Entry.isBefore(entry, $0) } ?? false
        push((run: run + (isLate ? 1 : 0), entry: entry))
    }

    /// Puts all entries into order. No entry follows.
    func finish() throws(SystemError) {
        while !heap.isEmpty { try writeFirst() }
        while runs.count > 1 { try merge() }
    }

    private func writeFirst() throws(SystemError) {
        let first = pop()
        if first.run > run || runs.isEmpty { runs.append(0) }
        (run, last) = (first.run, first.entry)
        runs[runs.count - 1] += 1
        try spool.append(coded(first.entry))
    }

    private func merge() throws(SystemError) {
        let merged = Spool(most: most)
        spool.mostPages = 2 * Self.mostMerged
        var (lengths, start) = ([Int](), 0)
        for group in stride(from: 0, to: runs.count, by: Self.mostMerged) {
            var cursors: [(next: Int, end: Int, entry: Entry)] = []
            for length in runs[group..<min(group + Self.mostMerged, runs.count)] {
                cursors.append((start + 1, start + length, try entry(start, of: spool)))
                start += length
            }
            lengths.append(cursors.reduce(0) { $0 + 1 + $1.end - $1.next })
            while let least = cursors.indices.min(by: { Entry.isBefore(cursors[$0].entry, cursors[$1].entry) }) {
                try merged.append(coded(cursors[least].entry))
                let next = cursors[least].next
                if next == cursors[least].end {
                    cursors.remove(at: least)
                } else {
                    cursors[least].entry = try entry(next, of: spool)
                    cursors[least].next += 1
                }
            }
        }
        (spool, runs) = (merged, lengths)
    }

    // MARK: - Reading

    /// The entry at a position, once all are in order.
    func entry(_ position: Int) throws(SystemError) -> Entry { try entry(position, of: spool) }

    private func entry(_ position: Int, of spool: Spool) throws(SystemError) -> Entry {
        decoded(try spool.read(at: position * recordBytes, count: recordBytes))
    }

    private var recordBytes: Int { keepsBodies ? 64 : 32 }

    private func coded(_ entry: Entry) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: recordBytes)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: entry.offset, as: Int64.self)
            bytes.storeBytes(of: entry.message.lowerBound, toByteOffset: 8, as: Int.self)
            bytes.storeBytes(of: entry.index, toByteOffset: 16, as: Int.self)
            bytes.storeBytes(of: UInt32(entry.message.count), toByteOffset: 24, as: UInt32.self)
            bytes.storeBytes(of: UInt16(entry.status), toByteOffset: 28, as: UInt16.self)
            let hasBody = keepsBodies && entry.body != nil
            bytes[30] = (entry.hasContent ? 1 : 0) | (hasBody ? 2 : 0)
            if hasBody, let hash = entry.body { bytes[32..<64].copyBytes(from: hash.bytes) }
        }
        return bytes
    }

    private func decoded(_ bytes: [UInt8]) -> Entry {
        bytes.withUnsafeBytes { bytes in
            let start = bytes.loadUnaligned(fromByteOffset: 8, as: Int.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
            return Entry(
                offset: bytes.loadUnaligned(as: Int64.self), message: start..<start + length,
                index: bytes.loadUnaligned(fromByteOffset: 16, as: Int.self),
                status: Int(bytes.loadUnaligned(fromByteOffset: 28, as: UInt16.self)), hasContent: bytes[30] & 1 != 0,
                body: bytes[30] & 2 != 0 ? BodyHash(digest: Array(bytes[32..<64])) : nil)
        }
    }

    // MARK: - The heap

    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        heap[one].run != heap[other].run
            ? heap[one].run < heap[other].run : Entry.isBefore(heap[one].entry, heap[other].entry)
    }

    private func push(_ element: (run: Int, entry: Entry)) {
        heap.append(element)
        var child = heap.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private func pop() -> (run: Int, entry: Entry) {
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            guard least != parent else { return first }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
