/// Values that are named by a number, which is used again once its value is gone.
struct Slab<Element> {
    private var elements: [Element] = []
    private var free: [Int] = []

    var count: Int { elements.count - free.count }

    mutating func insert(_ element: Element) -> Int {
        if let number = free.popLast() {
            elements[number] = element
            return number
        }
        elements.append(element)
        return elements.count - 1
    }

    /// Frees a place: its number must not be asked for any more.
    mutating func remove(_ number: Int) {
        free.append(number)
    }

    subscript(number: Int) -> Element {
        get { elements[number] }
        _modify { yield &elements[number] }
    }
}

/// The neighbours of an element in a list; -1 where there is none.
struct ListLinks {
    fileprivate(set) var previous = -1
    fileprivate(set) var next = -1
}

/// The ends of a list of elements; -1 where it is empty.
struct ListEnds {
    fileprivate(set) var first = -1
    fileprivate(set) var last = -1
}

/// Lists through the elements: a step takes the same time, however many there are.
extension Slab {
    typealias Links = WritableKeyPath<Element, ListLinks>

    /// Puts an element behind another of the list, or before all where that is -1.
    mutating func link(_ number: Int, behind previous: Int, in list: inout ListEnds, _ links: Links) {
        let next = previous >= 0 ? elements[previous][keyPath: links].next : list.first
        elements[number][keyPath: links] = ListLinks(previous: previous, next: next)
        if previous >= 0 { elements[previous][keyPath: links].next = number } else { list.first = number }
        if next >= 0 { elements[next][keyPath: links].previous = number } else { list.last = number }
    }

    mutating func unlink(_ number: Int, from list: inout ListEnds, _ links: Links) {
        let (previous, next) = (elements[number][keyPath: links].previous, elements[number][keyPath: links].next)
        if previous >= 0 { elements[previous][keyPath: links].next = next } else { list.first = next }
        if next >= 0 { elements[next][keyPath: links].previous = previous } else { list.last = previous }
    }
}
