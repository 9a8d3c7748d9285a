/// Finds the lines of a head, a chunk header or a trailer section: the one place that knows what ends a line and which
/// control characters exist. A line ends with CRLF and holds no control character but HTAB (HARDENING 2, rules 1 and 5).
///
/// It remembers how far it has looked, so a line that trickles in is looked at once.
struct LineScanner: Sendable {
    /// Where the current line begins.
    private(set) var start = 0
    /// No byte of `start..<scanned` ends the line or is forbidden in it.
    private var scanned = 0

    /// The next line without its CRLF, or nil when it has not wholly arrived. A line whose CRLF does not end at
    /// or before offset `limit` throws `tooLong`.
    mutating func next(
        _ bytes: Span<UInt8>, limit: Int, tooLong: ParseError
    ) throws(ParseError) -> Range<Int>? {
        let end = min(bytes.count, limit)
        let stop = scanned < end ? Self.firstControl(bytes, scanned, end) : end
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

    /// The caller has consumed all bytes before the current line: what was offset `start` is 0 from now on.
    mutating func rebase() {
        scanned -= start
        start = 0
    }

    /// Offset of the first control character other than HTAB in `from..<end`, or `end`. Looks at eight bytes at a
    /// time: a borrow out of `byte - 0x20` marks bytes below 0x20, and the same trick on `byte ^ 0x7F` marks DEL. A mark
    /// above a true one may be false, so only the lowest counts, and that one is exact.
    static func firstControl(_ bytes: Span<UInt8>, _ from: Int, _ end: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high = ones &* 0x80
        let raw = bytes.bytes
        var index = from
        while index + 8 <= end {
            let word = UInt64(
                littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            let delete = word ^ (ones &* 0x7F)
            let marks = (((word &- ones &* 0x20) & ~word) | ((delete &- ones) & ~delete)) & high
            if marks == 0 {
                index += 8
                continue
            }
            index += marks.trailingZeroBitCount / 8
            if bytes[index] != ASCII.tab { return index }
            index += 1
        }
        while index < end {
            let byte = bytes[index]
            if (byte < 0x20 && byte != ASCII.tab) || byte == 0x7F { return index }
            index += 1
        }
        return end
    }
}
