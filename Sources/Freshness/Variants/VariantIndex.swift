import HTTP
import Text

// How a target's answers are told apart by request fields (RFC 9111 4.1). A *variant index* is an
// entry at the target's base key, the one without variant: it has no content and says by which
// request fields the answers differ. The answers, its *variants*, lie under keys that hold the
// variant index's generation and a digest of those fields' values.
// Must hold: a variant is reached only through the variant index that it was stored under, so
// removing or replacing the index takes all of them out of reach at once; no value of a request
// field is written down.

/// The content of a variant index.
public struct VariantIndex: Equatable {
    /// Field names as `ResponseFacts.Vary` spells them.
    public let names: [UInt8]
    /// The languages in which there are answers, and their variants, where answers differ by
    /// Accept-Language alone.
    public var languages = VariantLanguages()
    /// 64 random bits in hexadecimal: the beginning of every variant.
    private let generation: [UInt8]

    /// A new one for these names, which are not empty.
    public init(names: [UInt8], generation: UInt64 = .random(in: .min ... .max)) {
        self.names = names
        var digits: [UInt8] = []
        digits.appendHexadecimal(generation)
        self.generation = digits
    }

    /// Reads what `selecting` has written; nil for anything else.
    public init?(_ selecting: [UInt8]) {
        let parts = selecting.split(separator: UInt8(ascii: " "))
        guard (2...3).contains(parts.count), parts[0].count == 16 else { return nil }
        (generation, names) = (Array(parts[0]), Array(parts[1]))
        if parts.count == 3 { languages = VariantLanguages(parts[2]) }
    }

    /// `0123456789abcdef accept-language,foo`, and after another space the languages, if any.
    public var selecting: [UInt8] {
        let languages = languages.bytes
        return generation + [UInt8(ascii: " ")] + names + (languages.isEmpty ? [] : [UInt8(ascii: " ")] + languages)
    }

    /// The variant for a request that goes to the origin with these `Name: value\r\n` lines; nil
    /// where libcrypto refuses.
    public func variant(of lines: Span<UInt8>) -> [UInt8]? {
        var values = SelectingValues()
        for name in names.split(separator: UInt8(ascii: ",")) {
            var all = FieldLines()
            while let line = all.next(in: lines) {
                guard lines.equalsIgnoringCase(line.name, name.span, 0..<name.count) else { continue }
                values.add(lines.extracting(line.value))
            }
            values.end(name)
        }
        guard let digest = values.bytes.withUnsafeBytes({ Digest.sha256($0) }) else { return nil }
        var variant = generation
        for offset in stride(from: 0, to: 32, by: 8) {
            variant.appendHexadecimal(Digest.bigEndian(digest, from: offset))
        }
        return variant
    }
}
