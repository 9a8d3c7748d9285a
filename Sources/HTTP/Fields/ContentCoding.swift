// In which coding a client wants content (RFC 9110 12.5.3), as one of two words before anything
// else looks at it: the client's spelling is in no key and goes nowhere (FRAMING 5.4).

/// How content is coded.
public enum ContentCoding: UInt8, Sendable, CaseIterable {
    case identity, gzip

    /// The coding for a client that sent these fields: gzip where it accepts that, and does not
    /// prefer another. Without `Accept-Encoding` content is not coded.
    @inline(__always)
    public static func preferred(by fields: borrowing Fields, _ bytes: Span<UInt8>) -> ContentCoding {
        guard fields.contains(.acceptEncoding) else { return .identity }
        var weights = AcceptedCodings()
        for index in 0..<fields.endIndex where fields[index].id == .acceptEncoding {
            weights.merge(fields[index].value, bytes)
        }
        return weights.preferred
    }

    /// The coding that a `Content-Encoding` value names; nil for others, and for more than one
    /// layer.
    public static func named(_ value: Span<UInt8>) -> ContentCoding? {
        let all = 0..<value.count
        if isGzip(value, all) { return .gzip }
        return all.isEmpty || value.equalsIgnoringCase(all, "identity") ? .identity : nil
    }

    /// `x-gzip` means the same (RFC 9110 8.4.1.3).
    fileprivate static func isGzip(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        bytes.equalsIgnoringCase(range, "gzip") || bytes.equalsIgnoringCase(range, "x-gzip")
    }
}

/// The weights that `Accept-Encoding` gives, in thousandths; nil where it says nothing.
private struct AcceptedCodings {
    private var gzip: Int?
    private var identity: Int?
    private var any: Int?

    /// Whatever else is accepted, of equal weights the shorter form wins.
    var preferred: ContentCoding {
        let weight = gzip ?? any ?? 0
        return weight > 0 && weight >= identity ?? 0 ? .gzip : .identity
    }

    mutating func merge(_ list: ByteRange, _ bytes: Span<UInt8>) {
        var elements = ListElements(list)
        while let element = elements.next(in: bytes)?.range {
            var end = element.lowerBound
            while end < element.upperBound, bytes[end] != UInt8(ascii: ";") { end += 1 }
            let name = bytes.trimmingWhitespace(element.lowerBound..<end)
            let weight = Self.weight(bytes, end..<element.upperBound)
            // The better of two that mean the same, such as gzip and x-gzip.
            if ContentCoding.isGzip(bytes, name) {
                gzip = max(gzip ?? 0, weight)
            } else if bytes.equalsIgnoringCase(name, "identity") {
                identity = max(identity ?? 0, weight)
            } else if bytes.equals(name, "*") {
                any = max(any ?? 0, weight)
            }
        }
    }

    /// The weight of `;q=0.5` in thousandths, 1000 where there is none. An invalid weight (RFC 9110
    /// 12.4.2) accepts nothing.
    private static func weight(_ bytes: Span<UInt8>, _ parameter: Range<Int>) -> Int {
        guard !parameter.isEmpty else { return 1000 }
        let text = bytes.trimmingWhitespace((parameter.lowerBound + 1)..<parameter.upperBound)
        guard text.count >= 3, bytes.equalsIgnoringCase(text.lowerBound..<(text.lowerBound + 2), "q=") else { return 0 }
        return QualityValue.thousandths(bytes, (text.lowerBound + 2)..<text.upperBound) ?? 0
    }
}
