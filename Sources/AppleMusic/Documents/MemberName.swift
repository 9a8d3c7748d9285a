// A member's name as a few words, so that it is compared and numbered without looking at it byte by
// byte.

/// The name of a member, escapes decoded.
struct MemberName {
    /// The last 16 bytes or fewer, zero after them.
    private let low: UInt64
    private let high: UInt64
    /// Mix of the bytes before those.
    private let before: UInt64
    let count: Int

    /// The name at `start..<end`.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
        precondition(start >= 0 && start <= end && end <= bytes.count)
        count = end &- start
        var position = start
        var state: UInt64 = 0
        while end &- position > 16 {
            let (low, high) = Self.words(bytes, position, 16)
            state = Self.mix(low, high ^ state)
            position &+= 16
        }
        (low, high) = Self.words(bytes, position, end &- position)
        before = state
    }

    /// The name that begins at `start` if it has fewer than 16 bytes, all of them ASCII and none
    /// escaped, and the text goes on for two bytes and more after its quotation mark. Most are
    /// such; they are found and loaded at once.
    @inline(__always)
    init?(shortAt start: Int, _ bytes: Span<UInt8>) {
        guard bytes.count &- start >= 18 else { return nil }
        let raw = bytes.bytes
        let first = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
        let second = UInt64(
            littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 8, as: UInt64.self))
        let (firstMarks, secondMarks) = (StringEnd.marks(first), StringEnd.marks(second))
        low = first & StringEnd.before(firstMarks)
        high = firstMarks == 0 ? second & StringEnd.before(secondMarks) : 0
        before = 0
        count = StringEnd.offset(firstMarks, secondMarks)
        guard count < 16, bytes[unchecked: start &+ count] == UInt8(ascii: "\""),
            (low | high) & 0x8080_8080_8080_8080 == 0
        else { return nil }
    }

    /// Two different names hardly ever have the same.
    var number: UInt64 {
        @inline(__always) get {
            Self.mix(low, high ^ before) &+ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        }
    }

    /// The product's halves folded. The factors are words that no UTF-8 text can hold, so that no
    /// name makes one of them zero.
    @inline(__always)
    private static func mix(_ low: UInt64, _ high: UInt64) -> UInt64 {
        let product = (low ^ 0xF85B_C1D3_F6A8_E7FB).multipliedFullWidth(by: high ^ 0xFA3C_F9B5_C0E7_F4C1)
        return product.high ^ product.low
    }

    /// The `count` bytes, at most 16, from `position` on; zero after them.
    @inline(__always)
    static func words(_ bytes: Span<UInt8>, _ position: Int, _ count: Int) -> (UInt64, UInt64) {
        guard bytes.count &- position >= 16 else { return lastWords(bytes, position, count) }
        let raw = bytes.bytes
        let low = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self))
        let high = UInt64(
            littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position &+ 8, as: UInt64.self))
        // Shifting by 64 or more gives zero.
        return (low & ~(UInt64.max << UInt64(count * 8)), high & ~(UInt64.max << UInt64(max(count, 8) * 8 - 64)))
    }

    /// The words at the end of the text, where sixteen bytes would reach beyond it.
    private static func lastWords(_ bytes: Span<UInt8>, _ position: Int, _ count: Int) -> (UInt64, UInt64) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for offset in 0..<count {
            let byte = UInt64(bytes[position + offset])
            if offset < 8 { low |= byte << UInt64(offset * 8) } else { high |= byte << UInt64(offset * 8 - 64) }
        }
        return (low, high)
    }

    /// Whether it is one of the two that mean something anywhere.
    var idOrType: Member {
        @inline(__always) get {
            count == 2 && equals("id") ? .id : count == 4 && equals("type") ? .type : .other
        }
    }

    /// Which of the names that mean something it is.
    var known: Member {
        @inline(__always) get {
            switch count {
            case 2: self.equals("id") ? .id : .other
            case 4: fourLetters
            case 5: self.equals("views") ? .views : .other
            case 7: self.equals("results") ? .results : .other
            case 10: self.equals("attributes") ? .attributes : .other
            case 13: self.equals("relationships") ? .relationships : .other
            default: .other
            }
        }
    }

    private var fourLetters: Member {
        @inline(__always) get {
            if equals("type") { return .type }
            if equals("href") { return .href }
            if equals("data") { return .data }
            if equals("next") { return .next }
            return equals("meta") ? .meta : .other
        }
    }

    /// Whether it is `text`, which has as many bytes, 16 at most. Becomes one or two comparisons
    /// with constants.
    @inline(__always)
    private func equals(_ text: StaticString) -> Bool {
        var low: UInt64 = 0
        var high: UInt64 = 0
        for offset in 0..<text.utf8CodeUnitCount {
            let byte = UInt64(text.utf8Start[offset])
            if offset < 8 { low |= byte << UInt64(offset * 8) } else { high |= byte << UInt64(offset * 8 - 64) }
        }
        return self.low == low && self.high == high
    }
}
