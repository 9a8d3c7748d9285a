/// Recognising a field name: its length and last letter leave one or two candidates, which are compared eight bytes at a
/// time. The table is made from `FieldName.text`, so names are written down once.
extension FieldName {
    /// The name that the bytes at `range` spell in any case. They are known to be a token: that is what makes comparing
    /// `byte | 0x20` exact (the only token characters that become a letter or `-` are that character in either case).
    init(token bytes: Span<UInt8>, _ range: Range<Int>) {
        self = .other
        guard range.count <= Recognition.longest else { return }
        let table = Recognition.table
        let slot = Recognition.slot(length: range.count, last: bytes[range.upperBound - 1])
        var index = Int(table.starts[slot])
        while index < Int(table.starts[slot + 1]) {
            let candidate = table.names[index]
            if Recognition.isEqual(bytes.bytes, range, candidate.text.utf8Start) {
                self = candidate
                return
            }
            index += 1
        }
    }
}

private struct Recognition: Sendable {
    /// Of the known names, in bytes.
    static let longest = 32
    static let table = Recognition()

    /// All known names, by slot.
    let names: [FieldName]
    /// Where the names of a slot begin; those of the next slot end them.
    let starts: [UInt8]

    private init() {
        var bySlot = [[FieldName]](repeating: [], count: Self.longest * 32 + 32)
        for name in FieldName.allCases where name != .other {
            let text = name.text
            let length = text.utf8CodeUnitCount
            bySlot[Self.slot(length: length, last: text.utf8Start[length - 1])].append(name)
        }
        names = bySlot.flatMap { $0 }
        var starts: [UInt8] = [0]
        for slot in bySlot { starts.append(starts[starts.count - 1] + UInt8(slot.count)) }
        self.starts = starts
    }

    @inline(__always)
    static func slot(length: Int, last: UInt8) -> Int {
        length * 32 + Int(last & 31)
    }

    /// Compares with a name of the same length: whole words, then the last word again, overlapping; short names bytewise.
    @inline(__always)
    static func isEqual(_ bytes: RawSpan, _ range: Range<Int>, _ name: UnsafePointer<UInt8>) -> Bool {
        let fold: UInt64 = 0x2020_2020_2020_2020
        let known = UnsafeRawPointer(name)
        let count = range.count
        guard count >= 8 else {
            for offset in 0..<count {
                let byte = bytes.unsafeLoad(fromByteOffset: range.lowerBound + offset, as: UInt8.self)
                if byte | 0x20 != name[offset] | 0x20 { return false }
            }
            return true
        }
        var offset = 0
        while true {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: range.lowerBound + offset, as: UInt64.self)
            if word | fold != known.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | fold { return false }
            if offset == count - 8 { return true }
            offset = min(offset + 8, count - 8)
        }
    }
}
