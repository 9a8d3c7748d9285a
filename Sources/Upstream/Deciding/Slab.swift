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

    /// What was there must not be asked for any more.
    mutating func remove(_ number: Int) {
        free.append(number)
    }

    subscript(number: Int) -> Element {
        get { elements[number] }
        _modify { yield &elements[number] }
    }
}
