// The `l` parameter (APPLE-MUSIC-API 4.3.9): malformed is an error, valid but unsupported is
// ignored.

enum LanguageTag {
    /// The tag that names and links follow; nil when none was given or the storefront does not
    /// speak it.
    static func accepted(_ tag: String?, in market: Market) throws(APIError) -> String? {
        guard let tag else { return nil }
        guard isWellFormed(tag) else { throw .invalidParameter("l", "Invalid language tag '" + tag + "'") }
        return market.tags.contains { $0.lowercased() == tag.lowercased() } ? tag : nil
    }

    /// Language, optional script, optional region. Chinese without a script is malformed: `zh-tw`
    /// was refused (APPLE-MUSIC-API 8.3).
    static func isWellFormed(_ tag: String) -> Bool {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), areLetters(language) else {
            return false
        }
        var rest = parts.dropFirst()
        let script = rest.first.flatMap { $0.utf8.count == 4 && areLetters($0) ? $0 : nil }
        if script != nil { rest = rest.dropFirst() }
        if language.lowercased() == "zh", script == nil, !rest.isEmpty { return false }
        if let region = rest.first {
            guard region.utf8.count == 2 && areLetters(region) || region.utf8.count == 3 && Int(region) != nil else {
                return false
            }
            rest = rest.dropFirst()
        }
        return rest.isEmpty
    }

    private static func areLetters(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
    }
}
