// The canonical spelling of a path.
//
// Percent-encoded unreserved characters are decoded, every other escape stays one, in upper case,
// and characters that should have been escaped are. Reserved characters are not decoded: RFC 3986
// 2.2 lets `;` and `%3B` differ, and servers make use of it. Empty segments are dropped, as the API
// drops them (APPLE-MUSIC-API 1.7). Paths that servers are known to read in different ways are
// refused instead of repaired.

struct PathEncoder {
    /// How much of the target the path is.
    private(set) var read = 1
    /// How much of the output it fills.
    private(set) var written = 0
    /// Whether some segment has `;`: a server may cut it off, so that such a path proves nothing.
    private(set) var hasPathParameters = false
    private var segmentStart = 1

    /// Reads up to `?` or the end. A target that begins with `?` is that of an absolute form
    /// without a path, which means `/` (RFC 9110 4.2.3). The output must have room for three times
    /// the target, and for one byte.
    mutating func encode(
        _ target: Span<UInt8>, into output: inout MutableSpan<UInt8>, segments: inout [TextSlice]
    ) throws(TargetError) {
        output.write(UInt8(ascii: "/"), at: &written)
        if target[0] == UInt8(ascii: "?") {
            read = 0
            return
        }
        guard target[0] == UInt8(ascii: "/") else { throw .notOriginForm }
        let verbatim = ASCIISet.path
        while read < target.count {
            let run = output.copyRun(of: verbatim, from: target, at: read, to: written)
            read += run
            written += run
            guard read < target.count else { break }
            let byte = target[read]
            if byte == UInt8(ascii: "/") {
                try endSegment(&output, &segments)
                read += 1
            } else if byte == UInt8(ascii: "?") {
                break
            } else {
                try encodeRare(byte, target, &output)
            }
        }
        try endSegment(&output, &segments)
        // The last `/` begins no segment; alone it is the whole path.
        written = max(1, segmentStart - 1)
    }

    private mutating func encodeRare(
        _ byte: UInt8, _ target: Span<UInt8>, _ output: inout MutableSpan<UInt8>
    ) throws(TargetError) {
        if byte == UInt8(ascii: "%") {
            let decoded = try percentDecoded(target, at: read)
            read += 3
            switch decoded {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"): throw .encodedSeparator
            case 0: throw .encodedNUL
            case _ where ASCIISet.unreserved.contains(decoded): output.write(decoded, at: &written)
            default: output.writePercentEncoded(decoded, at: &written)
            }
            hasPathParameters = hasPathParameters || decoded == UInt8(ascii: ";")
            return
        }
        guard byte < 0x80, !ASCIISet.forbidden.contains(byte) else { throw .forbiddenByte }
        read += 1
        if byte == UInt8(ascii: ";") {
            hasPathParameters = true
            output.write(byte, at: &written)
        } else {
            output.writePercentEncoded(byte, at: &written)
        }
    }

    /// Ends a segment that is not empty by a `/`.
    private mutating func endSegment(
        _ output: inout MutableSpan<UInt8>, _ segments: inout [TextSlice]
    ) throws(TargetError) {
        guard written > segmentStart else { return }
        if output[segmentStart] == UInt8(ascii: ".") {
            var end = segmentStart + 1
            if end < written, output[end] == UInt8(ascii: ".") { end += 1 }
            guard end < written, !beginsPathParameter(output, at: end) else { throw .dotSegment }
        }
        segments.append(TextSlice(segmentStart, written))
        output.write(UInt8(ascii: "/"), at: &written)
        segmentStart = written
    }

    private func beginsPathParameter(_ output: borrowing MutableSpan<UInt8>, at position: Int) -> Bool {
        if output[position] == UInt8(ascii: ";") { return true }
        return position + 2 < written && output[position] == UInt8(ascii: "%")
            && output[position + 1] == UInt8(ascii: "3") && output[position + 2] == UInt8(ascii: "B")
    }
}
