import Proxy

// The arguments of `access_log`.
extension AccessLogSetting {
    static let details =
        "if: only requests for which one of the conditions holds, joined by or: "
        + RequestCondition.facts.map(\.name).joined(separator: ", ")
        + ", each with = or != and a value as refrain tail takes it; status and slow also with a bound, such as "
        + "status>=400 and slow>1s; and sample SHARE%, which is of the other requests."

    /// `FILE [json|combined] [if CONDITION [or CONDITION] ...]`.
    init(words: [String]) throws(ValueError) {
        var rest = words[...]
        self.init(destination: try Destination(rest.removeFirst()), format: .combined)
        if let word = rest.first, word != "if" {
            format = try Format(choice: word)
            rest.removeFirst()
        }
        guard let word = rest.popFirst() else { return }
        guard destination != .off else { throw ValueError("off takes no conditions") }
        guard word == "if" else { throw ValueError(word, isNot: "if, which begins conditions") }
        selection = try LogSelection(words: rest)
    }
}

extension LogSelection {
    /// Conditions with `or` between them.
    init(words: ArraySlice<String>) throws(ValueError) {
        self.init([])
        var rest = words
        repeat {
            guard let word = rest.popFirst() else { throw ValueError("expected a condition such as status>=400") }
            guard word == "sample" else {
                if let whole = RequestCondition.joined(word, rest) {
                    throw ValueError("\(quoted(whole.apart)): write \(whole.text) without blanks")
                }
                conditions.append(try RequestCondition(word: word))
                continue
            }
            guard sample == 0 else { throw ValueError("sample is given twice") }
            guard let share = rest.popFirst() else { throw ValueError("sample needs a share after it, such as 1%") }
            sample = try Quantity.millionths(share)
        } while try Self.goesOn(&rest)
    }

    private static func goesOn(_ rest: inout ArraySlice<String>) throws(ValueError) -> Bool {
        guard let word = rest.popFirst() else { return false }
        guard word == "or" else { throw ValueError(word, isNot: "or, which joins conditions") }
        return true
    }
}

extension RequestCondition {
    private static let signs = "=!<>"

    /// A condition that was written with blanks around its sign; nil for others.
    fileprivate static func joined(
        _ word: String, _ rest: ArraySlice<String>
    ) -> (text: String, apart: String)? {
        guard facts.contains(where: { $0.name == word.prefix { !signs.contains($0) } }) else { return nil }
        var words = [word]
        for next in rest {
            let ends = [next.first, words[words.count - 1].last].compactMap(\.self)
            guard ends.contains(where: { signs.contains($0) }) else { break }
            words.append(next)
        }
        return words.count > 1 ? (words.joined(), words.joined(separator: " ")) : nil
    }

    /// `NAME=VALUE`, `NAME!=VALUE`, or a bound: `status>=400`, `slow>1s`.
    init(word: String) throws(ValueError) {
        let name = word.prefix { !Self.signs.contains($0) }
        guard let fact = Self.facts.first(where: { $0.name == name }), name.endIndex < word.endIndex else {
            let names = Self.facts.map(\.name)
            throw ValueError(
                word,
                isNot: "a condition such as status>=400, slow>1s or outcome=miss"
                    + Suggestion.text(for: String(name), in: names))
        }
        let rest = word[name.endIndex...]
        let sign = ["!=", "="].first(where: rest.hasPrefix) ?? ""
        // Read as a bound, it would not say whether the number itself was meant.
        if sign == "=", ["status", "slow"].contains(name), let bound = rest.dropFirst().first, "<>".contains(bound) {
            let value = rest.drop { "=<>".contains($0) }
            throw ValueError("\(quoted(word)): write \(name)\(bound)\(value) or \(name)\(bound)=\(value)")
        }
        do throws(Mistake) {
            self = try fact.condition(String(rest.dropFirst(sign.count)), isNegated: sign == "!=")
        } catch {
            let value = rest.drop { Self.signs.contains($0) }
            let hint = fact.words.contains(String(value)) ? "" : Suggestion.text(for: String(value), in: fact.words)
            throw ValueError("\(quoted(word)): \(error.words)\(hint)")
        }
    }
}
