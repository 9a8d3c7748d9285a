import Freshness
import HTTP

// The second form of a stored answer: the same content in gzip, for clients that accept it.
// Must hold: a form has a strong entity tag of its own (RFC 9110 8.8.3: the bytes differ), which
// holds the tag of the plain form, so that either tag shows this cache which content a client has.

/// A stored answer as clients that accept gzip get it.
public struct GzipForm: Sendable {
    /// Wire-ready, as `StoredResponse.head`.
    let head: [UInt8]
    /// A gzip stream, as received or as made here.
    public let body: [UInt8]

    /// - Parameter fields: those of the answer.
    init(_ body: [UInt8], status: Int, fields: [UInt8], addsVary: Bool) {
        var head = ByteBuffer(capacity: fields.count + 160)
        head.appendStatusLine(status)
        let span = fields.span
        var lines = FieldLines()
        while let line = lines.next(in: span) { OwnTag.appendCoded(line, of: span, to: &head) }
        if addsVary { head.append(Self.varyLine) }
        head.append("Content-Encoding: gzip\r\nContent-Length: ")
        head.append(decimal: body.count)
        head.append("\r\n")
        self.head = head.copyReadable().compacted()
        self.body = body.compacted()
    }

    /// Content of fewer bytes is sent in as many packets either way.
    public static let leastBytes = 1 << 10

    /// The line that answers with two forms get, unless the origin says it.
    static let varyLine: StaticString = "Vary: Accept-Encoding\r\n"

    /// Whether a `Vary` among these lines names `Accept-Encoding`, or everything.
    static func isVaryStated(in fields: Span<UInt8>) -> Bool {
        var lines = FieldLines()
        while let line = lines.next(in: fields) {
            guard line.id == .vary else { continue }
            var names = ListElements(ByteRange(line.value.lowerBound, line.value.upperBound))
            while let name = names.next(in: fields)?.range {
                if fields.equalsIgnoringCase(name, "accept-encoding") || fields.equals(name, "*") { return true }
            }
        }
        return false
    }
}
