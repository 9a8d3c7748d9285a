/// The field `traceparent` (W3C Trace Context 3.2), by which a request is followed through several
/// programs.
public enum TraceContext {
    /// The bytes that the whole of a version 00 value has.
    private static let leastCount = 55

    /// The trace id's place in the value at `range`; nil where the value is none: a version, the
    /// id, the parent's id and flags, in lower-case hexadecimal digits, joined by hyphens, neither
    /// id all zeros.
    public static func traceID(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        let start = range.lowerBound
        guard range.count >= leastCount, isHexadecimal(bytes, start..<start + 2), bytes[start + 2] == hyphen,
            bytes[start + 35] == hyphen, bytes[start + 52] == hyphen, isHexadecimal(bytes, start + 53..<start + 55)
        else { return nil }
        let (trace, parent) = (start + 3..<start + 35, start + 36..<start + 52)
        guard isID(bytes, trace), isID(bytes, parent) else { return nil }
        // Version 00 ends here; ff is none; later ones may go on after a hyphen.
        let isFirst = bytes.equals(start..<start + 2, "00")
        guard !bytes.equals(start..<start + 2, "ff"), range.count == leastCount || !isFirst else { return nil }
        return range.count == leastCount || bytes[start + leastCount] == hyphen ? trace : nil
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isHexadecimal(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.allSatisfy { 0x30...0x39 ~= bytes[$0] || 0x61...0x66 ~= bytes[$0] }
    }

    private static func isID(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        isHexadecimal(bytes, range) && !range.allSatisfy { bytes[$0] == UInt8(ascii: "0") }
    }
}
