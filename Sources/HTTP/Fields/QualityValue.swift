/// The weight of an element in a list such as `Accept-Encoding` (RFC 9110 12.4.2).
public enum QualityValue {
    /// In thousandths; nil for other text.
    public static func thousandths(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        func digit(_ index: Int) -> Int? { Decimal.parse(bytes, index..<(index + 1)) }
        guard (1...5).contains(range.count), let whole = digit(range.lowerBound) else { return nil }
        var (thousandths, place) = (whole * 1000, 100)
        for index in range.dropFirst() {
            if index == range.lowerBound + 1 {
                guard bytes[index] == UInt8(ascii: ".") else { return nil }
            } else {
                guard let digit = digit(index) else { return nil }
                thousandths += digit * place
                place /= 10
            }
        }
        return thousandths <= 1000 ? thousandths : nil
    }
}
