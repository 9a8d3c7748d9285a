/// Numbers as they come, distinct and in order in the end, never many more than may be kept.
struct FoundNumbers {
    private var numbers: [UInt64] = []

    mutating func add(_ number: UInt64) throws(DocumentScanner.Stop) {
        numbers.append(number)
        // Twice as many as may be kept: sorting is then paid for by as many that came.
        if numbers.count == ResourceMention.maxCount * 2 { try settle() }
    }

    consuming func sorted() throws(DocumentScanner.Stop) -> [UInt64] {
        try settle()
        return numbers
    }

    private mutating func settle() throws(DocumentScanner.Stop) {
        numbers.sort()
        var kept = 0
        for number in numbers where kept == 0 || numbers[kept - 1] != number {
            numbers[kept] = number
            kept += 1
        }
        numbers.removeLast(numbers.count - kept)
        guard kept <= ResourceMention.maxCount else { throw DocumentScanner.Stop() }
    }
}
