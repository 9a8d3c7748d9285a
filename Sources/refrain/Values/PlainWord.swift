/// Text of ASCII letters, digits and a few characters besides: safe in a token, a key or a log.
enum PlainWord {
    /// The longest name, in bytes: as long as one label of a host's name may be.
    static let longestName = 63

    static func isOne(_ text: some StringProtocol, with others: String, upTo longest: Int) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { contains($0, with: others) }
    }

    /// A name that the operator gives.
    static func name(_ text: String, with others: String) throws(ValueError) -> String {
        guard isOne(text, with: others, upTo: longestName) else {
            throw ValueError(text, isNot: "a name of at most \(longestName) letters, digits and \(others)")
        }
        return text
    }

    static func contains(_ byte: UInt8, with others: String) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: others.utf8.contains(byte)
        }
    }
}
