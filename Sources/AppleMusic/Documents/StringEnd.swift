/// The end of a string, or its first escape, found in a word of eight bytes:
/// `HTTP/Bytes/ByteSearch` explains the arithmetic. Only the lowest mark counts.
enum StringEnd {
    /// The top bit of each byte that is a quotation mark, a reverse solidus or a control character.
    @inline(__always)
    static func marks(_ word: UInt64) -> UInt64 {
        // The bytes searched for have no top bit, so one mask serves all three.
        let found =
            (word &- 0x2020_2020_2020_2020)
            | ((word ^ 0x2222_2222_2222_2222) &- 0x0101_0101_0101_0101)
            | ((word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101)
        return found & ~word & 0x8080_8080_8080_8080
    }

    /// A mask of the bytes before the first mark.
    @inline(__always)
    static func before(_ marks: UInt64) -> UInt64 { ((marks & (0 &- marks)) &>> 7) &- 1 }

    /// The offset of the first mark in two words; 16 without one.
    @inline(__always)
    static func offset(_ first: UInt64, _ second: UInt64) -> Int {
        first != 0 ? first.trailingZeroBitCount / 8 : 8 &+ second.trailingZeroBitCount / 8
    }
}
