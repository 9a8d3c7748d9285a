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

    /// The text as UTF-8. Inlined, so that what is appended becomes a few stores of constants.
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The text as UTF-8.
    @_disfavoredOverload
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// `-?1*DIGIT`, no leading zeros.
    public mutating func append(decimal number: Int) {
        // Filled from the right; 19 digits and a sign are the longest.
        var text = InlineArray<20, UInt8>(repeating: 0)
        var first = text.count
        var rest = number.magnitude
        repeat {
            first -= 1
            text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            first -= 1
            text[first] = UInt8(ascii: "-")
        }
        append(text.span.extracting(first...))
    }

    /// `1*HEXDIG` in lower case, no leading zeros: a chunk size. `number` is not negative.
    public mutating func append(hexadecimal number: Int) {
        precondition(number >= 0)
        var text = InlineArray<16, UInt8>(repeating: 0)
        var first = text.count
        var rest = number.magnitude
        repeat {
            first -= 1
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            text[first] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        } while rest > 0
        append(text.span.extracting(first...))
    }

    /// Two decimal digits, as dates want them.
    mutating func append(twoDigits number: Int) {
        append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
