/// Writing heads. A value can never end its line early: a control character in it becomes a space, which is what
/// RFC 9110 5.5 lets a recipient do with one.
extension ByteBuffer {
    /// `HTTP/1.1 200 OK` with its line end. `status` has three digits.
    public mutating func appendStatusLine(_ status: Int) {
        precondition((100...999).contains(status))
        append("HTTP/1.1 ")
        append(decimal: status)
        append(UInt8(ascii: " "))
        append(reasonPhrase(status))
        append("\r\n")
    }

    /// A field line with a value that is known when the program is written.
    public mutating func appendField(_ name: StaticString, _ value: StaticString) {
        beginField(name)
        append(value)
        append("\r\n")
    }

    /// A field line with a number.
    public mutating func appendField(_ name: StaticString, _ value: Int) {
        beginField(name)
        append(decimal: value)
        append("\r\n")
    }

    /// A field line with bytes from elsewhere.
    public mutating func appendField(_ name: StaticString, _ value: Span<UInt8>) {
        beginField(name)
        append(fieldValue: value)
        append("\r\n")
    }

    /// A field line with bytes from elsewhere.
    public mutating func appendField(_ name: StaticString, _ value: [UInt8]) {
        appendField(name, value.span)
    }

    /// A field line with a text.
    @_disfavoredOverload
    public mutating func appendField(_ name: StaticString, _ value: String) {
        appendField(name, [UInt8](value.utf8).span)
    }

    /// A field line that is passed on from a parsed head; `bytes` are those it was parsed from.
    public mutating func appendField(_ field: Field, of bytes: Span<UInt8>) {
        append(bytes.extracting(field.name.range))
        append(": ")
        append(bytes.extracting(field.value.range))
        append("\r\n")
    }

    /// A field line with a date, unix seconds.
    public mutating func appendField(_ name: StaticString, date seconds: Int64) {
        beginField(name)
        HTTPDate.append(seconds, to: &self)
        append("\r\n")
    }

    /// The empty line behind the fields.
    public mutating func appendEndOfHead() {
        append("\r\n")
    }

    private mutating func beginField(_ name: StaticString) {
        append(name)
        append(": ")
    }

    private mutating func append(fieldValue value: Span<UInt8>) {
        var from = 0
        while from < value.count {
            let stop = value.firstControl(from..<value.count)
            append(value.extracting(from..<stop))
            if stop < value.count { append(ASCII.space) }
            from = stop + 1
        }
    }
}
