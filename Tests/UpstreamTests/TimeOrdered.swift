/// A heap of things by time; equal times in any, but always the same, order.
struct TimeOrdered<Element> {
    private var heap: [(time: Int64, element: Element)] = []

    mutating func insert(_ element: Element, at time: Int64) {
        heap.append((time, element))
        var index = heap.count - 1
        while index > 0, heap[index].time < heap[(index - 1) / 2].time {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst(before end: Int64) -> (Int64, Element)? {
        guard let first = heap.first, first.time < end else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].time < heap[$1].time }), heap[least].time < heap[index].time
            else { break }
            heap.swapAt(index, least)
            index = least
        }
        return (first.time, first.element)
    }
}
