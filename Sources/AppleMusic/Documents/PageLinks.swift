import Glibc

// Links to further pages, wherever in an answer they are, and a number that tells one page of a
// list from the others however it is asked for.

/// The links to further pages that a body has as its members `next`.
public enum PageLinks {
    /// Calls `take` with each link between its quotation marks: a path without escapes.
    /// - Parameter most: how many are looked at.
    public static func each(in body: Span<UInt8>, most: Int, _ take: (Range<Int>) -> Void) {
        var (position, left) = (0, most)
        while left > 0, let letter = find(UInt8(ascii: "x"), in: body, from: position) {
            position = letter + 1
            guard let link = link(of: letter, in: body) else { continue }
            left -= 1
            take(link)
            position = link.upperBound
        }
    }

    private static func find(_ byte: UInt8, in body: Span<UInt8>, from start: Int) -> Int? {
        guard start < body.count else { return nil }
        return body.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The value of the member `"next"` whose third letter is here.
    private static func link(of letter: Int, in body: Span<UInt8>) -> Range<Int>? {
        guard letter >= 3, letter + 3 < body.count, TextSlice(letter - 3, letter + 3).equals("\"next\"", in: body)
        else { return nil }
        let colon = DocumentScanner.skipWhitespace(body, from: letter + 3)
        guard colon < body.count, body[colon] == UInt8(ascii: ":") else { return nil }
        let quote = DocumentScanner.skipWhitespace(body, from: colon + 1)
        guard quote + 1 < body.count, body[quote] == UInt8(ascii: "\""), body[quote + 1] == UInt8(ascii: "/"),
            let end = find(UInt8(ascii: "\""), in: body, from: quote + 1)
        else { return nil }
        for position in quote + 1..<end where body[position] == UInt8(ascii: "\\") { return nil }
        return quote + 1..<end
    }
}

extension CanonicalTarget {
    /// The number of the page of a list that is asked for, whatever it shows of the resources and
    /// however many of them; nil without an `offset`.
    public var pageNumber: UInt64? {
        var (hash, hasOffset) = (FNV1a(), false)
        hash.combine(bytes.span, 0, pathCount)
        for parameter in bytes[pathCount...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let name = parameter.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "[") }
            if Self.aboutTheShowing.contains(where: { name.elementsEqual($0.utf8) }) { continue }
            if name.elementsEqual("offset".utf8) { hasOffset = true }
            hash.combine(ResourceMention.separator)
            hash.combine(bytes.span, parameter.startIndex, parameter.endIndex)
        }
        return hasOffset ? hash.value : nil
    }

    /// Parameters that choose no items (APPLE-MUSIC-API 4.3).
    private static let aboutTheShowing = [
        "limit", "include", "extend", "fields", "views", "relate", "l", "omit", "art", "format", "platform",
    ]
}
