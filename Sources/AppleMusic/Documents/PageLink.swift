// The one thing in a link to a page that is read without knowing whose page it is.

/// A `next` as the origin wrote it.
public enum PageLink {
    /// The value of `offset`, at most nine digits; nil where it is not plain, not there, or there
    /// twice, and for a link that is no path or has escapes of JSON in it. Where the list is known,
    /// ``CatalogRequest/list(linkedBy:)`` says more.
    /// - Parameter next: the string between its quotation marks.
    public static func offset(in next: Span<UInt8>) -> Int? {
        guard next.count > 0, next[0] == UInt8(ascii: "/") else { return nil }
        var (offset, start, isQuery) = (Int?.none, 0, false)
        for position in 0...next.count {
            let byte = position < next.count ? next[position] : UInt8(ascii: "&")
            guard !ASCIISet.forbidden.contains(byte) else { return nil }
            if isQuery ? byte == UInt8(ascii: "&") : byte == UInt8(ascii: "?") {
                let isOffset =
                    isQuery && position - start >= 7 && TextSlice(start, start + 7).equals("offset=", in: next)
                if isOffset {
                    let value = TextSlice(start + 7, position)
                    guard offset == nil, let number = PlainDecimal.value(of: value, in: next) else { return nil }
                    offset = number
                }
                (isQuery, start) = (true, position + 1)
            }
        }
        return offset
    }
}
