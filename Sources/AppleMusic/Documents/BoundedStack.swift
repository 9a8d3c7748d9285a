// The scanner's stacks: a push costs a store. (An array asks at every write whether it is shared.)
//
// Must hold: nothing outside this file sees the pointer; every access is checked against
// `count`.

/// A stack of at most `capacity` plain values.
struct BoundedStack<Element: BitwiseCopyable>: ~Copyable {
    let capacity: Int
    private(set) var count = 0
    private var room: Int
    private var storage: UnsafeMutablePointer<Element>

    /// There is room for `room` of them, and for more once it is needed.
    init(capacity: Int, room: Int) {
        self.capacity = capacity
        self.room = min(room, capacity)
        storage = .allocate(capacity: self.room)
    }

    deinit { storage.deallocate() }

    var isFull: Bool { count == capacity }

    /// It must not be full.
    @inline(__always)
    mutating func push(_ element: Element) {
        if count == room { grow() }
        storage[count] = element
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        precondition(count < capacity)
        room = min(room * 2, capacity)
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: room)
        larger.update(from: storage, count: count)
        storage.deallocate()
        storage = larger
    }

    /// There must be one.
    @inline(__always)
    mutating func pop() -> Element {
        precondition(count > 0)
        count &-= 1
        return storage[count]
    }

    /// Leaves the first `newCount`, which must be no more than there are.
    @inline(__always)
    mutating func shrink(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        count = newCount
    }

    subscript(index: Int) -> Element {
        @inline(__always) get {
            precondition(index >= 0 && index < count)
            return storage[index]
        }
        @inline(__always) _modify {
            precondition(index >= 0 && index < count)
            yield &storage[index]
        }
    }

    var elements: [Element] { Array(UnsafeBufferPointer(start: storage, count: count)) }
}

extension BoundedStack where Element: Equatable {
    /// Whether it holds `element` at `start` or later.
    @inline(__always)
    func contains(_ element: Element, from start: Int) -> Bool {
        precondition(start >= 0)
        var index = start
        while index < count {
            if storage[index] == element { return true }
            index &+= 1
        }
        return false
    }
}
