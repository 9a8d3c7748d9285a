import HTTP
import Text

// Recorded request targets: whole, but values that look like credentials are replaced, and bytes
// that no target may hold are percent-encoded.

public enum RecordedTarget {
    /// Written in place of a value.
    static let redacted = "REDACTED"
    /// Written for a request whose route is not known and whose answer is one user's.
    public static let unknownRoute = "/..."

    /// Words that name a credential when a parameter's name is, or ends in, one of them.
    private static let endings = [
        "token", "key", "secret", "password", "passwd", "passphrase", "signature", "credential", "credentials", "jwt",
        "auth", "authorization", "cookie", "session", "sessionid",
    ]
    /// Words that do so alone or between other words: `sig`, `X-Amz-Signature`,
    /// `auth_code`.
    private static let words: Set<String> = Set(
        endings + ["pass", "pwd", "sig", "sid", "bearer", "pin", "otp", "code"])

    /// - Parameter target: path and query as they came; where there is no path, as after an
    ///   authority, it is `/`.
    /// - Returns: nil where it is longer than a recording holds.
    public static func redacted(_ target: [UInt8]) -> String? {
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let path = (parts.first ?? []).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var output = Array(
            path.map { isToken($0) ? Array(redacted.utf8) : visible($0) }.joined(separator: [UInt8(ascii: "/")]))
        if output.first != UInt8(ascii: "/") { output.insert(UInt8(ascii: "/"), at: 0) }
        if parts.count > 1 {
            let parameters = parts[1].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            output.append(UInt8(ascii: "?"))
            output += parameters.map(parameter).joined(separator: [UInt8(ascii: "&")])
        }
        let text = String(decoding: output, as: UTF8.self)
        return RecordedExchange.isTarget(text) ? text : nil
    }

    /// The redacted form of a text out of a file; nil where it holds control characters.
    static func redacted(text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            return nil
        }
        return redacted(Array(text.utf8))
    }

    /// Whether `redacted` refuses a text for its length alone.
    static func isTooLong(text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/") && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && redacted(text: text) == nil
    }

    private static func parameter(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let name = bytes.prefix { $0 != UInt8(ascii: "=") }
        guard name.endIndex < bytes.endIndex else { return isToken(bytes) ? Array(redacted.utf8) : visible(bytes) }
        let value = bytes[(name.endIndex + 1)...]
        guard !value.isEmpty, namesCredential(decoded(name)) || isToken(value) else { return visible(bytes) }
        return visible(name) + Array("=\(redacted)".utf8)
    }

    /// Whether something is a signed token by its looks, whatever it is called (RFC 7519).
    private static func isToken(_ value: ArraySlice<UInt8>) -> Bool {
        let text = decoded(value)
        return text.hasPrefix("eyJ") && text.utf8.count { $0 == UInt8(ascii: ".") } >= 2
    }

    static func namesCredential(_ name: String) -> Bool {
        let lowercase = name.lowercased()
        if endings.contains(where: lowercase.hasSuffix) { return true }
        return split(name).contains { words.contains($0.lowercased()) }
    }

    /// The words of a name: they end at any other character than a letter or digit, and before a
    /// capital that follows a small letter.
    private static func split(_ name: String) -> [String] {
        var words = [""]
        var wasLowercase = false
        for character in name {
            let isWord = character.isLetter || character.isNumber
            if !isWord || (wasLowercase && character.isUppercase) { words.append("") }
            if isWord { words[words.count - 1].append(character) }
            wasLowercase = character.isLowercase
        }
        return words
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.decoded(bytes).bytes, as: UTF8.self)
    }

    /// Percent-encodes bytes that no target may hold.
    private static func visible(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.reduce(into: []) { output, byte in
            if byte > 0x20 && byte < 0x7F { output.append(byte) } else { output.appendPercentEncoded(byte) }
        }
    }
}
