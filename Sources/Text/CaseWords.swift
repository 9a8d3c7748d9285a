/// The words of an enum's cases, which are their names: `pageNotHeld` is `page-not-held`.
///
/// Must hold: raw values count from 0, in the order of the cases.
public struct CaseWords<Case: CaseIterable & RawRepresentable>: Sendable where Case.RawValue: BinaryInteger {
    /// In the order of the cases.
    public let all: [String]

    public init(separator: String) {
        all = Case.allCases.map { Self.word("\($0)", separator) }
        precondition(Case.allCases.map { Int($0.rawValue) } == Array(all.indices))
    }

    public subscript(_ value: Case) -> String { all[Int(value.rawValue)] }

    /// The case with this word, letter by letter; nil where there is none.
    public func find(_ word: String) -> Case? { Case.allCases.first { self[$0] == word } }

    /// A capital after another letter begins a part; `IDs` is one.
    private static func word(_ name: String, _ separator: String) -> String {
        var (word, isAfterCapital) = ("", false)
        for letter in name {
            if letter.isUppercase, !isAfterCapital { word += separator }
            word += letter.lowercased()
            isAfterCapital = letter.isUppercase
        }
        return word
    }
}
