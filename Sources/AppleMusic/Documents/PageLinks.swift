import CLinux
import Glibc

// Links to further pages, wherever in an answer they are, and a number that tells one page of a
// list from the others however it is asked for.

/// The links to further pages that a body has as its members `next`.
public enum PageLinks {
    /// Calls `take` with each link between its quotation marks: a path without escapes.
    /// - Parameter most: how many are looked at.
    public static func each(in body: Span<UInt8>, most: Int, _ take: (Range<Int>) -> Void) {
        var (search, left) = (NextSearch(), most)
        while left > 0, let letter = search.next(in: body) {
            guard let link = link(of: letter, in: body) else { continue }
            left -= 1
            take(link)
            search.position = link.upperBound
        }
    }

    fileprivate static func find(_ byte: UInt8, in body: Span<UInt8>, from start: Int) -> Int? {
        guard start < body.count else { return nil }
        return body.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The value of the member `"next"` whose third letter is here.
    private static func link(of letter: Int, in body: Span<UInt8>) -> Range<Int>? {
        guard letter >= 3, letter + 3 < body.count, NextSearch.isWord(around: letter, in: body)
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

/// A search for the word `"next"`.
///
/// The letter x is rare in answers, and is found 25 times as fast as the word. Where it is
/// frequent, the word is looked for: each other x costs as much as 42 bytes of such a search. So a
/// body takes about twice the time of that at most, whatever it holds.
struct NextSearch {
    var position = 0
    /// Letters that were no part of the word.
    private(set) var misses = 0

    /// Bytes for which the word is looked for in the time that such a letter takes, about.
    private static let bytesOfMiss = 48
    private static let freeMisses = 20
    private static let word = Array("\"next\"".utf8)
    /// The place of the letter in the word.
    private static let letterPlace = 3

    /// The place of the next word's letter x.
    mutating func next(in body: Span<UInt8>) -> Int? {
        while (misses - Self.freeMisses) * Self.bytesOfMiss <= position {
            guard let letter = PageLinks.find(UInt8(ascii: "x"), in: body, from: position) else { return nil }
            position = letter + 1
            if Self.isWord(around: letter, in: body) { return letter }
            misses += 1
        }
        return nextWord(in: body)
    }

    static func isWord(around letter: Int, in body: Span<UInt8>) -> Bool {
        letter >= letterPlace && letter + 3 <= body.count
            && TextSlice(letter - letterPlace, letter + 3).equals("\"next\"", in: body)
    }

    private mutating func nextWord(in body: Span<UInt8>) -> Int? {
        // The last letter that was met may be inside the word.
        let start = max(position - Self.letterPlace, 0)
        guard start < body.count else { return nil }
        let found = body.withUnsafeBytes { bytes in
            bytes.baseAddress.map { clinux_find($0 + start, bytes.count - start, Self.word, Self.word.count) } ?? -1
        }
        guard found >= 0 else { return nil }
        let letter = start + found + Self.letterPlace
        position = letter + 1
        return letter
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
