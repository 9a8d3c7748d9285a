/// Numbers as they come, distinct and in order in the end, never many more than may be kept.
struct FoundNumbers {
    private var numbers: [UInt64] = []
    /// Whether more came than may be kept.
    private var areTooMany = false

    mutating func add(_ number: UInt64) {
        numbers.append(number)
        // Twice as many as may be kept: sorting is then paid for by as many that came.
        if numbers.count == ResourceMention.maxCount * 2 { settle() }
    }

    /// ``ResourceMention/everything`` alone where there are too many.
    consuming func sorted() -> [UInt64] {
        settle()
        return areTooMany ? [ResourceMention.everything] : numbers
    }

    private mutating func settle() {
        numbers.sortHashes()
        var kept = 0
        // By index: a loop over the numbers themselves would have them copied at the first write.
        for index in numbers.indices where kept == 0 || numbers[kept - 1] != numbers[index] {
            numbers[kept] = numbers[index]
            kept += 1
        }
        numbers.removeLast(numbers.count - kept)
        guard kept > ResourceMention.maxCount else { return }
        areTooMany = true
        numbers.removeAll(keepingCapacity: true)
    }
}

extension [UInt64] {
    /// Sorts numbers whose upper halves hardly ever agree, four times faster than numbers of which
    /// nothing is known: by the bytes of the upper half, the lowest first. Where that is not enough
    /// it only helps.
    mutating func sortHashes() {
        guard count > 32 else { return sort() }
        var ends = InlineArray<1024, UInt32>(repeating: 0)
        for number in self {
            for digit in 0..<4 { ends[digit << 8 | Int(number >> UInt64(32 + 8 * digit) & 0xFF)] += 1 }
        }
        var other = self
        for digit in 0..<4 {
            var start: UInt32 = 0
            for bucket in digit << 8..<(digit + 1) << 8 {
                (start, ends[bucket]) = (start + ends[bucket], start)
            }
            for number in self {
                let bucket = digit << 8 | Int(number >> UInt64(32 + 8 * digit) & 0xFF)
                other[Int(ends[bucket])] = number
                ends[bucket] += 1
            }
            swap(&self, &other)
        }
        if !zip(self, dropFirst()).allSatisfy({ $0 <= $1 }) { sort() }
    }
}
