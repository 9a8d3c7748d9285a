import HTTP

// The heads in which a stored response leaves when not as a whole: 304 and 206, and what a 416 says of it.

extension StoredResponse {
    /// Whether `head` has a Date: an answer stored under the origin's own rules keeps the origin's, or the time it came
    /// (RFC 9110 6.6.1, RFC 9111 4), and nobody may add another.
    public var hasDate: Bool { validators.date != nil }

    /// Appends what `head` is for a whole answer: status line, fields, framing, each with CR LF. Age, Cache-Status, Date
    /// where there is none, and the empty line follow; then, for a part, those bytes of `body`. A 416 gets its status line
    /// and Content-Range; content and framing are the caller's.
    public func appendHead(_ form: AnswerForm, to buffer: inout ByteBuffer) {
        switch form {
        case .whole: buffer.append(head)
        case .notModified: appendNotModified(to: &buffer)
        case .partial(let part): appendPartial(part, to: &buffer)
        case .unsatisfiable:
            buffer.appendStatusLine(416)
            buffer.append("Content-Range: bytes */")
            buffer.append(decimal: body.count)
            buffer.append("\r\n")
        }
    }

    /// RFC 9110 15.4.5: what a 200 would say of itself to caches, and nothing of the content; Last-Modified only where no
    /// entity tag does its work.
    private func appendNotModified(to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(304)
        appendFields(to: &buffer) { id in
            switch id {
            case .cacheControl, .cdnCacheControl, .contentLocation, .date, .etag, .expires, .vary, .via: true
            case .lastModified: validators.tagValue.isEmpty
            default: false
            }
        }
    }

    /// RFC 9110 15.3.7.1.
    private func appendPartial(_ part: Range<Int>, to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(206)
        appendFields(to: &buffer) { $0 != .contentRange }
        buffer.append("Content-Range: bytes ")
        buffer.append(decimal: part.lowerBound)
        buffer.append("-")
        buffer.append(decimal: part.upperBound - 1)
        buffer.append("/")
        buffer.append(decimal: body.count)
        buffer.append("\r\nContent-Length: ")
        buffer.append(decimal: part.count)
        buffer.append("\r\n")
    }

    private func appendFields(to buffer: inout ByteBuffer, where isKept: (FieldName) -> Bool) {
        let fields = self.fields.span
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            if isKept(line.id) { buffer.append(fields.extracting(line.whole)) }
        }
    }
}
