/// Finds the lines of a head, a chunk header or a trailer section: the one place that knows the end
/// of a line and the control characters. A line ends with CRLF and holds no control character but
/// HTAB: RFC 9112 2.2 lets a server take a bare LF for a line end, but then two servers in a row
/// can see different lines.
///
/// It remembers how far it has looked, so a line that trickles in is looked at once.
struct LineScanner: Sendable {
    /// Offset at which the current line begins.
    private(set) var start = 0
    /// No byte of `start..<scanned` ends the line or is forbidden in it.
    private var scanned = 0

    /// Whether nothing was looked at yet.
    var isAtStart: Bool { scanned == 0 }

    /// The next line without its CRLF, or nil when it has not wholly arrived. A line whose CRLF
    /// does not end at or before offset `limit` throws `tooLong`.
    @inline(__always)
    mutating func next(
        _ bytes: Span<UInt8>, limit: Int, tooLong: ParseError
    ) throws(ParseError) -> Range<Int>? {
        let end = min(bytes.count, limit)
        let stop = scanned < end ? bytes.firstControl(scanned..<end) : end
        scanned = max(scanned, stop)
        guard stop + 1 < limit else { throw tooLong }
        guard stop < end else { return nil }
        guard bytes[stop] == ASCII.carriageReturn else {
            throw bytes[stop] == ASCII.lineFeed ? .lineEnd : .controlCharacter
        }
        guard stop + 1 < bytes.count else { return nil }
        guard bytes[stop + 1] == ASCII.lineFeed else { throw .lineEnd }
        let line = start..<stop
        start = stop + 2
        scanned = start
        return line
    }

    /// The line that begins at offset `start` comes next; nothing of it was looked at.
    mutating func rewind(to start: Int = 0) {
        self.start = start
        scanned = start
    }

    /// The caller has consumed all bytes before the current line: offset `start` is 0 from now on.
    mutating func rebase() {
        scanned -= start
        start = 0
    }
}
