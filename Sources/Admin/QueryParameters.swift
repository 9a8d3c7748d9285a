// The parameters of a query, or of a form: read strictly, because a misspelt filter would show
// everything.

/// Names and values, each name known and given once.
struct QueryParameters {
    private var values: [String: String] = [:]

    /// Of a target's query; a `+` is a plus sign.
    init(_ query: String?, known: [String]) throws(AdminRequestError) {
        try take((query ?? "")[...], known, plus: "+")
    }

    /// Of a form's content, where a `+` is a blank (application/x-www-form-urlencoded).
    init(form: [UInt8], known: [String]) throws(AdminRequestError) {
        guard let text = String(validating: form, as: UTF8.self) else {
            throw AdminRequestError(detail: "The content is not UTF-8.")
        }
        try take(text[...], known, plus: " ")
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

    private mutating func take(_ text: Substring, _ known: [String], plus: Character) throws(AdminRequestError) {
        for pair in text.split(separator: "&") {
            let equals = pair.firstIndex(of: "=") ?? pair.endIndex
            guard let name = Self.decoded(pair[..<equals], plus), known.contains(name) else {
                throw Self.unknown(String(pair[..<equals]), known)
            }
            guard equals < pair.endIndex, let value = Self.decoded(pair[pair.index(after: equals)...], plus) else {
                throw AdminRequestError(detail: "\(name): expected \(name)=VALUE, percent-encoded UTF-8.")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw AdminRequestError(detail: "\(name): given twice.")
            }
        }
    }

    private static func unknown(_ name: String, _ known: [String]) -> AdminRequestError {
        let shown = AdminRequestError.shown(name, otherwise: "A parameter")
        let list = known.isEmpty ? "there are none here" : "known are \(known.joined(separator: ", "))"
        // Whoever forgets to encode a URL finds its parameters here.
        let hint = known.contains("url") ? "; & in a URL is written %26" : ""
        return AdminRequestError(detail: "\(shown): unknown; \(list)\(hint).")
    }

    /// Nil where a percent sign is not followed by two hexadecimal digits, or the bytes are not
    /// UTF-8.
    private static func decoded(_ text: Substring, _ plus: Character) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+"): bytes.append(contentsOf: plus.utf8)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
