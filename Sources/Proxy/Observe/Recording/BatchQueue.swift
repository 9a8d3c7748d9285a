import Synchronization

/// Batches on their way from the loops to the recorder's thread. A linked list, newest first.
///
/// It has no lock: a thread that is suspended in the middle of this delays no other thread, and
/// loops that add at once all succeed.
final class BatchQueue: Sendable {
    private final class Node {
        let batch: TrafficBatch
        /// The one that was added before it.
        var next: UInt = 0

        init(_ batch: TrafficBatch) { self.batch = batch }
    }

    /// The address of a node that the list owns; 0: it is empty.
    private let first = Atomic<UInt>(0)

    deinit { _ = takeAll() }

    func add(_ batch: TrafficBatch) {
        let node = Node(batch)
        let address = UInt(bitPattern: Unmanaged.passRetained(node).toOpaque())
        node.next = first.load(ordering: .relaxed)
        while true {
            let (isDone, found) = first.compareExchange(expected: node.next, desired: address, ordering: .releasing)
            if isDone { return }
            node.next = found
        }
    }

    /// In the order in which they were added.
    func takeAll() -> [TrafficBatch] {
        var batches: [TrafficBatch] = []
        var address = first.exchange(0, ordering: .acquiring)
        while let pointer = UnsafeRawPointer(bitPattern: address) {
            let node = Unmanaged<Node>.fromOpaque(pointer).takeRetainedValue()
            batches.append(node.batch)
            address = node.next
        }
        return batches.reversed()
    }
}
