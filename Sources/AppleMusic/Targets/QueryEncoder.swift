// The canonical spelling of a query, still in the order in which it came.
//
// A query is read as forms are (and as the API's servers do): parameters between `&`, a name up to
// the first `=`, `+` is a space, and escapes are decoded before a value is looked into. So `%2C` is
// a comma, also in `ids` and in the lists that are sets, and `%3D` after the first `=` is the same
// as `=`. Parameters with nothing in them are dropped; `a` and `a=` stay two things, because a
// server may tell them apart; so do `;` and `%3B`, because older servers take the former for `&`.

struct QueryEncoder {
    private(set) var written: Int
    private let start: Int
    private var parameterStart: Int
    private var nameEnd: Int?

    /// `written` is where the output goes on.
    init(at written: Int) {
        self.written = written
        start = written
        parameterStart = written
    }

    var isEmpty: Bool { written == start }

    /// Reads from `first`, the byte after `?`, to the end. Writes the parameters with single `&`
    /// between them.
    mutating func encode(
        _ target: Span<UInt8>, from first: Int, into output: inout MutableSpan<UInt8>, parameters: inout [TextSlice]
    ) throws(TargetError) {
        var read = first
        let verbatim = ASCIISet.query
        while read < target.count {
            let run = output.copyRun(of: verbatim, from: target, at: read, to: written)
            read += run
            written += run
            guard read < target.count else { break }
            let byte = target[read]
            if byte == UInt8(ascii: "&") {
                endParameter(&parameters)
                if written > parameterStart { output.write(byte, at: &written) }
                parameterStart = written
                nameEnd = nil
                read += 1
            } else if byte == UInt8(ascii: "="), nameEnd == nil {
                nameEnd = written
                output.write(byte, at: &written)
                read += 1
            } else if byte == UInt8(ascii: "%") {
                encode(try percentDecoded(target, at: read), &output)
                read += 3
            } else if byte == UInt8(ascii: ";") {
                output.write(byte, at: &written)
                read += 1
            } else {
                guard byte < 0x80, !ASCIISet.forbidden.contains(byte) else { throw .forbiddenByte }
                encode(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte, &output)
                read += 1
            }
        }
        endParameter(&parameters)
        if written == parameterStart, written > start { written -= 1 }
    }

    private mutating func encode(_ byte: UInt8, _ output: inout MutableSpan<UInt8>) {
        if byte == UInt8(ascii: " ") {
            output.write(UInt8(ascii: "+"), at: &written)
        } else if ASCIISet.query.contains(byte) {
            output.write(byte, at: &written)
        } else {
            output.writePercentEncoded(byte, at: &written)
        }
    }

    private func endParameter(_ parameters: inout [TextSlice]) {
        guard written > parameterStart else { return }
        parameters.append(TextSlice(parameterStart, keyEnd: nameEnd ?? written, written))
    }
}
