/// Numbers of connections, the small ones first: one that has ended leaves its number to the next.
struct ConnectionNumbers {
    private var free: [Int] = []
    private var count = 0

    mutating func take() -> Int {
        if let number = free.popLast() { return number }
        defer { count += 1 }
        return count
    }

    mutating func giveBack(_ number: Int) { free.append(number) }
}
