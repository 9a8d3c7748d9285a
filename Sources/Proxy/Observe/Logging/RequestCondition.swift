import Text

/// A condition about an answered request, for a line of the access log or a reader of `/events`.
/// Pure.
public struct RequestCondition: Sendable, Equatable {
    enum Test: Sendable, Equatable {
        case client(String)
        case status(ClosedRange<Int>)
        case outcome(Outcome)
        case reason(String)
        case target(Wildcards)
        /// Nanoseconds from the complete request to the answer.
        case duration(ClosedRange<Int64>)
        /// A part of the field, in lower case.
        case agent([UInt8])
    }

    let test: Test
    /// Whether it holds where the test does not.
    let isNegated: Bool

    /// Name of the client key that it asks about; nil for a condition about anything else.
    public var clientName: String? {
        guard case .client(let name) = test else { return nil }
        return name
    }

    /// Whether it holds for a request.
    /// - Parameters:
    ///   - client: the name of the key that was presented.
    ///   - target: as the log shows it; asked for only by a test of it.
    ///   - agent: the same of `User-Agent`; empty where there is none.
    func holds(
        for request: LoggedRequest, nanoseconds: Int64, client: String?, target: () -> [UInt8], agent: () -> [UInt8]
    ) -> Bool {
        let passes =
            switch test {
            case .client(let name): client == name
            case .status(let range): range.contains(request.status)
            case .outcome(let outcome): request.outcome == outcome
            case .reason(let word): request.words.reason == word || request.words.detail == word
            case .target(let pattern): Self.matches(pattern, target())
            case .duration(let range): range.contains(nanoseconds)
            case .agent(let part): Self.lowercased(agent()).contains(part)
            }
        return passes != isNegated
    }

    /// A pattern without `?` leaves the query aside.
    private static func matches(_ pattern: Wildcards, _ target: [UInt8]) -> Bool {
        let mark = UInt8(ascii: "?")
        return pattern.matches(pattern.bytes.contains(mark) ? target[...] : target.prefix { $0 != mark })
    }

    fileprivate static func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    }
}

extension RequestCondition {
    /// Why a text is no condition.
    public struct Mistake: Error, Equatable, Sendable {
        /// `expected ...`
        public let words: String
    }

    /// A fact that a condition asks about: an option of `refrain tail`, a parameter of `/events`,
    /// and a word of `access_log`. All of them read this one list.
    public struct Fact: Sendable {
        public let name: String
        /// Name of its value in the help.
        public let value: String
        /// Help of `refrain tail`.
        public let help: String
        /// An example of its value.
        let example: String
        /// The values, if they are a list; empty for others.
        public var words: [String] = []
        let read: @Sendable (String) -> Test?

        /// Reads the condition from an operator's text.
        public func condition(_ text: String, isNegated: Bool = false) throws(Mistake) -> RequestCondition {
            guard text.utf8.count <= 1024, let test = read(text) else {
                throw Mistake(words: "expected \(example)")
            }
            return RequestCondition(test: test, isNegated: isNegated)
        }
    }

    /// In the order of the help.
    public static let facts = [
        Fact(
            name: "client", value: "NAME", help: "requests with this client's key",
            example: "the name of a client in client_keys_file"
        ) { $0.isEmpty ? nil : .client($0) },
        Fact(
            name: "status", value: "STATUS", help: "answers with this status, such as 503, 5xx or >=400",
            example: "a status such as 503, 5xx or >=400"
        ) { statuses($0).map(Test.status) },
        Fact(
            name: "outcome", value: "OUTCOME", help: "requests with this outcome, such as hit or miss",
            example: "one of " + Outcome.allCases.map(\.name).joined(separator: ", "),
            words: Outcome.allCases.map(\.name)
        ) { text in Outcome.allCases.first { $0.name == text }.map(Test.outcome) },
        Fact(
            name: "reason", value: "REASON", help: "requests with this word after the outcome, such as absent",
            example: "a word of the log (REFERENCE.md, Reasons and Refusals), such as absent, stale or rate-limited",
            words: LogWords.all
        ) { LogWords.all.contains($0) ? .reason($0) : nil },
        Fact(
            name: "target", value: "PATTERN",
            help: "targets that match; * matches any text; without a ? the query is left aside",
            example: "a target or a pattern such as /v1/catalog/us/albums/*"
        ) { isPattern($0) ? .target(Wildcards(Array($0.utf8))) : nil },
        Fact(
            name: "slow", value: "DURATION", help: "answers that took longer than this, such as 200ms",
            example: "a duration such as 200ms or 1s, from 1ms to 1d"
        ) { durations($0).map(Test.duration) },
        Fact(
            name: "user-agent", value: "TEXT", help: "requests whose User-Agent contains TEXT, in any case",
            example: "a part of a User-Agent"
        ) { $0.isEmpty ? nil : .agent(lowercased($0.utf8)) },
    ]

    /// `503`, `5xx`, or a bound: `>=400`, `>499`, `<300`, `<=304`.
    private static func statuses(_ text: String) -> ClosedRange<Int>? {
        let (sign, rest) = split(text)
        if sign.isEmpty, rest.count == 3, rest.dropFirst() == "xx", let hundreds = number(rest.prefix(1), 1...5) {
            return hundreds * 100...hundreds * 100 + 99
        }
        guard let number = number(rest, 100...599) else { return nil }
        return range(sign, number, in: 100...599) ?? (sign.isEmpty ? number...number : nil)
    }

    /// `200ms` or `>200ms`; `<1s`.
    private static func durations(_ text: String) -> ClosedRange<Int64>? {
        let (sign, rest) = split(text)
        guard let milliseconds = SpanOfTime.milliseconds(rest), 1...86_400_000 ~= milliseconds else { return nil }
        return range(sign.isEmpty ? ">" : sign, milliseconds * 1_000_000, in: 0...Int64.max)
    }

    /// The numbers on one side of a bound; nil without a sign, and where there are none.
    private static func range<Number: FixedWidthInteger>(
        _ sign: String, _ bound: Number, in all: ClosedRange<Number>
    ) -> ClosedRange<Number>? {
        switch sign {
        case ">=": bound...all.upperBound
        case ">": bound < all.upperBound ? bound + 1...all.upperBound : nil
        case "<=": all.lowerBound...bound
        case "<": bound > all.lowerBound ? all.lowerBound...bound - 1 : nil
        default: nil
        }
    }

    private static func split(_ text: String) -> (sign: String, rest: String) {
        let sign = text.prefix { "<>=".contains($0) }
        return (String(sign), String(text[sign.endIndex...]))
    }

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text) else { return nil }
        return range.contains(number) ? number : nil
    }

    /// Visible ASCII, as targets are in the log, that one of them can match: a path, a URL or an
    /// authority, `*`, the route `other`, or `-` where none was read.
    private static func isPattern(_ text: String) -> Bool {
        let isOther = text == "other" || text == "-"
        let mayMatch = isOther || text.hasPrefix("/") || text.hasPrefix("*") || text.contains(":")
        return mayMatch && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}
