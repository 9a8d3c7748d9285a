import Cache
import HTTP
import Upstream

// Answers that came in gzip because they were asked for so: inflated once, before anything looks at
// them.

extension UpstreamResponse {
    /// Whether the content came in gzip and in nothing else.
    var isGzip: Bool {
        var codings = fields.lines.filter { $0.id == .contentEncoding }.makeIterator()
        guard let first = codings.next(), codings.next() == nil else { return false }
        return ContentCoding.named(fields.bytes.span.extracting(first.value)) == .gzip
    }

    /// The content in gzip, where that saves what a second form costs.
    var storableGzip: [UInt8]? { body.count < GzipForm.leastBytes ? nil : gzip }

    /// The same answer with its content as it is, and what came beside it; itself where it did not
    /// come in gzip. An answer whose coding is damaged is as malformed as one whose framing is.
    func inflated(by gzip: Gzip) throws(Gzip.Failure) -> UpstreamResponse {
        // Some statuses have no content, and origins in trouble name a coding and send none.
        guard gzip.isAvailable, isGzip, !body.isEmpty || status == 200 else { return self }
        var copy = self
        copy.body = try gzip.inflate(body)
        copy.gzip = body
        copy.isInflated = true
        return copy
    }
}
