import HTTP

/// The head that goes out on every hit, which is made once.
enum PreparedHead {
    /// `Date` at the time of receipt, for an answer that came without one (RFC 9110 6.6.1).
    static func dateLine(_ unixSeconds: Int64) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 40)
        buffer.append("Date: ")
        HTTPDate.append(unixSeconds, to: &buffer)
        buffer.append("\r\n")
        return buffer.copyReadable()
    }

    /// Status line, `fields`, Content-Length; the lines that vary and the empty line follow when it
    /// is sent. Also returns the range of the fields in it. 204 has no Content-Length (RFC 9110
    /// 8.6).
    static func whole(
        status: Int, fields: [UInt8], bodyCount: Int, addsVary: Bool = false
    ) -> (bytes: [UInt8], fields: Range<Int>) {
        var head = ByteBuffer(capacity: fields.count + 96)
        head.appendStatusLine(status)
        let start = head.readableCount
        head.append(fields)
        let end = head.readableCount
        if addsVary { head.append(GzipForm.varyLine) }
        if status != 204 {
            head.append("Content-Length: ")
            head.append(decimal: bodyCount)
            head.append("\r\n")
        }
        return (head.copyReadable(), start..<end)
    }
}
