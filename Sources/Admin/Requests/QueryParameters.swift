import Text

// The parameters of a query, or of a form: read strictly, because a misspelt filter would show
// everything.

/// Names and values, each name known and given once.
struct QueryParameters {
    private var values: [String: String] = [:]

    /// Parameters of a target's query; a `+` is a plus sign.
    init(_ query: String?, known: [String]) throws(AdminRequestError) {
        try take((query ?? "")[...], known, plusIsSpace: false)
    }

    /// Parameters of a form's content, where a `+` is a blank (application/x-www-form-urlencoded).
    init(form: [UInt8], known: [String]) throws(AdminRequestError) {
        guard let text = String(validating: form, as: UTF8.self) else {
            throw AdminRequestError(detail: "The content is not UTF-8.")
        }
        try take(text[...], known, plusIsSpace: true)
    }

    subscript(name: String) -> String? { values[name] }

    /// A whole number, `standard` where it is not given.
    func number(_ name: String, in range: ClosedRange<Int>, standard: Int) throws(AdminRequestError) -> Int {
        guard let text = values[name] else { return standard }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text), range.contains(number) else {
            throw AdminRequestError(
                detail: "\(name): expected a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// `1` or `true`, `0` or `false`; false where it is not given.
    func flag(_ name: String) throws(AdminRequestError) -> Bool {
        switch values[name] {
        case nil, "0", "false": return false
        case "1", "true": return true
        default: throw AdminRequestError(detail: "\(name): expected 1 or 0.")
        }
    }

    private mutating func take(_ text: Substring, _ known: [String], plusIsSpace: Bool) throws(AdminRequestError) {
        for pair in text.split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            guard let name = Self.decoded(pair[..<equals], plusIsSpace), known.contains(name) else {
                throw Self.unknown(String(pair[..<equals]), known)
            }
            guard equals < pair.endIndex, let value = Self.decoded(pair[pair.index(after: equals)...], plusIsSpace)
            else {
                throw AdminRequestError(detail: "\(name): expected \(name)=VALUE, percent-encoded UTF-8.")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw AdminRequestError(detail: "\(name): given twice.")
            }
        }
    }

    private static func unknown(_ name: String, _ known: [String]) -> AdminRequestError {
        let shown = AdminRequestError.shown(name, otherwise: "A parameter")
        let list = known.isEmpty ? "none are known" : "known are \(known.joined(separator: ", "))"
        // If a client does not encode a URL, the parameters of that URL end up here.
        let hint = known.contains("url") ? "; & in a URL is written %26" : ""
        return AdminRequestError(detail: "\(shown): unknown; \(list)\(hint).")
    }

    /// Nil where a percent sign is not followed by two hexadecimal digits, or the bytes are not
    /// UTF-8.
    private static func decoded(_ text: Substring, _ plusIsSpace: Bool) -> String? {
        let (bytes, isWhole) = PercentEncoding.decoded(text.utf8, plusIsSpace: plusIsSpace)
        return isWhole ? String(validating: bytes, as: UTF8.self) : nil
    }
}
