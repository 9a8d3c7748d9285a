import Freshness
import HTTP

// The heads of a stored response that does not leave as a whole: 304, 206, and the Content-Range of
// a 416.

extension StoredResponse {
    /// Whether `head` has a Date. An answer stored under the origin's own rules keeps the origin's
    /// Date, or the time it came (RFC 9110 6.6.1, RFC 9111 4), and no other may be added.
    public var hasDate: Bool { validators.date != nil }

    /// Appends the head of this form, as `head` is for a whole answer: status line, fields,
    /// framing, each with CR LF. Age, Cache-Status, Date where there is none, and the empty line
    /// follow; then the content of `AnswerForm.content(of:)`. A 416 is the caller's own error, with
    /// `appendContentRange`.
    ///
    /// - Parameter coding: of the content that a GET gets; `gzip` only where there is that form.
    public func appendHead(_ form: AnswerForm, _ coding: ContentCoding = .identity, to buffer: inout ByteBuffer) {
        switch form {
        case .whole:
            if let gzip, coding == .gzip { return buffer.append(gzip.head) }
            if isDamaged { appendDamaged(to: &buffer) } else { buffer.append(head) }
        case .notModified:
            buffer.appendStatusLine(304)
            appendFields(coding, to: &buffer) { NotModified.keeps($0, hasTag: !validators.tagValue.isEmpty) }
        case .partial(let part): if isDamaged { appendDamaged(to: &buffer) } else { appendPartial(part, to: &buffer) }
        case .unsatisfiable: preconditionFailure("an error is not a form of the stored answer")
        }
    }

    /// For content that cannot be inflated. The next request finds nothing stored and asks the
    /// origin.
    private func appendDamaged(to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(502)
        buffer.append("Content-Length: 0\r\n")
    }

    /// Appends the Content-Range of a 416 (RFC 9110 15.5.17).
    public func appendContentRange(to buffer: inout ByteBuffer) {
        buffer.append("Content-Range: bytes */")
        buffer.append(decimal: bodyCount)
        buffer.append("\r\n")
    }

    /// RFC 9110 15.3.7.1. Parts are of the content without a coding.
    private func appendPartial(_ part: Range<Int>, to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(206)
        appendFields(.identity, to: &buffer) { $0 != .contentRange }
        buffer.append("Content-Range: bytes ")
        buffer.append(decimal: part.lowerBound)
        buffer.append("-")
        buffer.append(decimal: part.upperBound - 1)
        buffer.append("/")
        buffer.append(decimal: bodyCount)
        buffer.append("\r\nContent-Length: ")
        buffer.append(decimal: part.count)
        buffer.append("\r\n")
    }

    private func appendFields(
        _ coding: ContentCoding, to buffer: inout ByteBuffer, where isKept: (FieldName) -> Bool
    ) {
        let fields = self.fields.span
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            guard isKept(line.id) else { continue }
            switch coding {
            case .identity: buffer.append(fields.extracting(line.whole))
            case .gzip: OwnTag.appendCoded(line, of: fields, to: &buffer)
            }
        }
        if addsVary { buffer.append(GzipForm.varyLine) }
    }
}

extension AnswerForm {
    /// The status code of `stored` in this form, once its content was asked for: 502 where the
    /// content is damaged.
    public func status(of stored: StoredResponse) -> Int {
        switch self {
        case .whole: stored.isDamaged ? 502 : stored.status
        case .notModified: 304
        case .partial: stored.isDamaged ? 502 : 206
        case .unsatisfiable: 416
        }
    }

    /// The content in this form; that of a part is copied. To be called before head and status,
    /// which depend on whether the content is damaged.
    public func content(of stored: StoredResponse, _ coding: ContentCoding = .identity) -> [UInt8] {
        switch self {
        case .whole:
            if let gzip = stored.gzip, coding == .gzip { return gzip.body }
            let body = stored.body
            return stored.isDamaged ? [] : body
        case .partial(let part):
            let body = stored.body
            return stored.isDamaged ? [] : Array(body[part])
        case .notModified, .unsatisfiable: return []
        }
    }
}
