/// Appending text and numbers. None of these allocates unless the buffer has to grow.
extension ByteBuffer {
    /// Appends a copy of the bytes.
    public mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends a copy of the bytes.
    public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends a copy of the bytes.
    public mutating func append(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// The text as UTF-8.
    public mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// The text as UTF-8.
    @_disfavoredOverload
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// `-?1*DIGIT`, no leading zeros.
    public mutating func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(digitsOf: number.magnitude, base: 10)
    }

    /// `1*HEXDIG` in lower case, no leading zeros: a chunk size. `number` is not negative.
    public mutating func append(hexadecimal number: Int) {
        precondition(number >= 0)
        append(digitsOf: number.magnitude, base: 16)
    }

    /// Two decimal digits, as dates want them.
    mutating func append(twoDigits number: Int) {
        append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func append(digitsOf number: UInt, base: UInt) {
        var divisor: UInt = 1
        while number / divisor >= base { divisor *= base }
        while divisor > 0 {
            let digit = UInt8(truncatingIfNeeded: number / divisor % base)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            divisor /= base
        }
    }
}
