import HTTP

// Answers that differ by Accept-Language alone, found by their language. A request that wants one
// language more than any other gets the answer in that language from every origin that heeds
// weights (RFC 9110 12.4.2, 12.5.4), provided there is one; a stored answer whose Content-Language
// it is shows that there is. So its list and the list that the answer was chosen by select the same
// representation, and are told apart needlessly.
// Must hold: only a fresh answer that still says it is in that language is found so; nothing is
// stored by language.

/// Which variants are in which language; a few, the latest.
public struct VariantLanguages: Equatable {
    private struct Entry: Equatable {
        let language: [UInt8]
        let variant: [UInt8]
    }

    private var entries: [Entry] = []
    /// The most languages of one target.
    static let maxCount = 8

    /// None.
    init() {}

    /// Reads `bytes`; entries that do not fit are left out.
    init(_ bytes: ArraySlice<UInt8>) {
        for pair in bytes.split(separator: UInt8(ascii: ",")).prefix(Self.maxCount) {
            let parts = pair.split(separator: UInt8(ascii: "="))
            guard parts.count == 2 else { continue }
            entries.append(Entry(language: Array(parts[0]), variant: Array(parts[1])))
        }
    }

    /// `de=VARIANT,en=VARIANT`, the oldest first.
    var bytes: [UInt8] {
        Array(entries.map { $0.language + [UInt8(ascii: "=")] + $0.variant }.joined(separator: [UInt8(ascii: ",")]))
    }

    /// The variant in `language`, which is in lower case.
    subscript(language: [UInt8]) -> [UInt8]? {
        entries.first { $0.language == language }?.variant
    }

    /// Notes that the answer under `variant` is in `language`.
    public mutating func note(_ language: [UInt8], _ variant: [UInt8]) {
        guard self[language] != variant else { return }
        entries.removeAll { $0.language == language }
        entries.append(Entry(language: language, variant: variant))
        if entries.count > Self.maxCount { entries.removeFirst() }
    }
}

extension VariantIndex {
    /// Whether language is all that its variants differ by.
    public var isAboutLanguageAlone: Bool { names.elementsEqual("accept-language".utf8) }

    /// The one language that a request with these field lines wants most, and the variant in it, if
    /// there is one.
    public func wanted(by lines: Span<UInt8>) -> (language: [UInt8], variant: [UInt8])? {
        guard isAboutLanguageAlone else { return nil }
        var accepted: Range<Int>?
        var all = FieldLines()
        while let line = all.next(in: lines) {
            guard line.id == .acceptLanguage else { continue }
            guard accepted == nil else { return nil }
            accepted = line.value
        }
        guard let accepted, let language = WeightedList.mostWanted(lines.extracting(accepted)),
            let variant = languages[language]
        else { return nil }
        return (language, variant)
    }
}

extension ReusableAnswer {
    /// The one language that Content-Language names, in lower case.
    public var language: [UInt8]? {
        let fields = self.fields
        var found: [UInt8]?
        var lines = FieldLines()
        while let line = lines.next(in: fields.span) {
            guard line.id == .contentLanguage else { continue }
            guard found == nil, Self.isLanguage(fields.span, line.value) else { return nil }
            found = fields.span.lowercased(line.value)
        }
        return found
    }

    /// Letters, digits and hyphens (RFC 5646 2.1), as short as those in use.
    private static func isLanguage(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
        for index in value {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return (1...35).contains(value.count)
    }
}
