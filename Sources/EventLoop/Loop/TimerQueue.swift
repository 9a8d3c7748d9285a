/// Names one timer of one loop. Cancelling it after it has run, or twice, does nothing.
public struct TimerToken: Hashable, Sendable {
    let tag: UInt64
}

/// The timers of one loop: a binary heap by (deadline, order of scheduling).
///
/// Cancelling releases the closure; the entry in the heap stays until it surfaces, or until stale
/// entries are the majority, when the heap is built anew. So cancel is constant time, and the heap
/// is never more than about twice the live timers.
struct TimerQueue {
    private struct Entry {
        let deadline: Instant
        let sequence: UInt64
        let tag: UInt64

        func precedes(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : sequence < other.sequence
        }
    }

    /// A closure as itself: as the value of a generic table it would be put into another one, an
    /// allocation for each timer.
    private struct Timer {
        let body: () -> Void
    }

    private var heap: [Entry] = []
    private var bodies = SlotTable<Timer>()
    /// The sequence number of the next timer; `popDue(before:)` bounds a pass with it.
    private(set) var nextSequence: UInt64 = 0
    /// Timers that are neither run nor cancelled.
    var count: Int { bodies.count }

    mutating func insert(at deadline: Instant, _ body: @escaping () -> Void) -> TimerToken {
        let tag = bodies.insert(Timer(body: body))
        heap.append(Entry(deadline: deadline, sequence: nextSequence, tag: tag))
        nextSequence += 1
        siftUp(heap.count - 1)
        return TimerToken(tag: tag)
    }

    mutating func cancel(_ token: TimerToken) {
        guard bodies.remove(token.tag) != nil else { return }
        if heap.count > 64, heap.count > 2 * count { rebuild() }
    }

    /// The earliest deadline of a live timer.
    ///
    /// By index, because `first` allocates in a debug build, once for each turn of a loop; how many
    /// turns a request takes depends on how busy the machine is, and its cost has a limit.
    var earliest: Instant? {
        mutating get {
            while !heap.isEmpty, isStale(heap[0]) { removeTop() }
            return heap.isEmpty ? nil : heap[0].deadline
        }
    }

    /// Takes the first timer that is due at `now` and was scheduled before `sequence`.
    mutating func popDue(at now: Instant, before sequence: UInt64 = .max) -> (deadline: Instant, body: () -> Void)? {
        guard let deadline = earliest, deadline <= now, heap[0].sequence < sequence,
            let timer = bodies.remove(heap[0].tag)
        else { return nil }
        removeTop()
        return (deadline, timer.body)
    }

    mutating func removeAll() {
        (heap, bodies) = ([], SlotTable())
    }

    private func isStale(_ entry: Entry) -> Bool { !bodies.contains(entry.tag) }

    private mutating func rebuild() {
        heap.removeAll { [bodies] in !bodies.contains($0.tag) }
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func removeTop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        if heap.count > 1 { siftDown(0) }
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].precedes(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var first = index
            for child in (2 * index + 1)...(2 * index + 2)
            where child < heap.count && heap[child].precedes(heap[first]) { first = child }
            guard first != index else { return }
            heap.swapAt(index, first)
            index = first
        }
    }
}
