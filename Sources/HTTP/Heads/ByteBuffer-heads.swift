/// Writing heads.
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

    /// Appends a field line with its line end.
    public mutating func appendField(_ name: String, _ value: String) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }
}
