import AppleMusic
import Purging
import Store

// The selectors of purges and listings, as operators write them: read strictly, because a misread
// selector would purge or show something else.

/// A selector of entries: a member of a purge, a parameter of a listing, an option of `refrain
/// purge` and `refrain list`, and a field of the dashboard's form. All of them read this one list.
public struct EntrySelector: Sendable {
    /// Name of the member, the parameter and the option.
    public let name: String
    /// Name of its value in the help.
    public let value: String
    /// Help of `refrain purge`; nil: no purge takes it.
    public var purgeHelp: String?
    /// Help of `refrain list`; nil: only `/entries` takes it.
    public var listHelp: String?
    /// In the dashboard's form, where it is a field if purges take it.
    fileprivate var label = ""
    fileprivate var example = ""
    fileprivate var mostCharacters: Int?
    /// Reads the condition from an operator's text.
    public let condition: @Sendable (String) throws(AdminRequestError) -> EntrySelection.Condition

    /// In the order in which a purge names them.
    static let table = [url] + narrowing

    /// The selectors that a purge takes.
    public static let purging = table.filter { $0.purgeHelp != nil }

    /// The options of `refrain list`.
    public static let listing = table.filter { $0.listHelp != nil }

    private static let url = EntrySelector(
        name: "url", value: "URL",
        purgeHelp: "the answers to this request, in any spelling, with or without the host",
        label: "URL", example: "/v1/catalog/us/albums/1"
    ) { text throws(AdminRequestError) in .target(try EntrySelection.target(of: text)) }

    /// The selectors that mean more than one target.
    private static let narrowing = [
        EntrySelector(
            name: "prefix", value: "PATH", purgeHelp: "the answers to all requests whose path begins with PATH",
            listHelp: "only answers whose path begins with PATH", label: "Prefix", example: "/v1/catalog/us/albums/"
        ) { text throws(AdminRequestError) in .prefix(try EntrySelection.prefix(of: text)) },
        EntrySelector(
            name: "match", value: "PATTERN",
            purgeHelp: "the answers to all requests whose path matches; * matches any text, including /",
            listHelp: "only answers whose path matches; * matches any text, including /", label: "Match",
            example: "/v1/catalog/*/albums/*"
        ) { text throws(AdminRequestError) in
            guard let pattern = PathPattern(Array(text.utf8)) else {
                throw AdminRequestError(
                    detail: "match: expected a path that begins with / and has * in it, "
                        + "such as /v1/catalog/*/albums/*, and no query.")
            }
            return .pattern(pattern)
        },
        EntrySelector(
            name: "storefront", value: "CODE", purgeHelp: "the answers of this storefront, such as us",
            listHelp: "only answers of this storefront, such as us", label: "Storefront", example: "us",
            mostCharacters: 2
        ) { text throws(AdminRequestError) in
            guard let code = Storefront(text) else {
                throw AdminRequestError(detail: "storefront: expected two lower-case letters, such as us.")
            }
            return .storefront(Array(code.text.utf8))
        },
        EntrySelector(
            name: "class", value: "CLASS", listHelp: "only answers of this class, such as songs or search"
        ) { text throws(AdminRequestError) in
            guard let known = ResourceClass(name: text) else {
                let names = ResourceClass.allCases.map(\.name).joined(separator: ", ")
                throw AdminRequestError(detail: "class: expected one of \(names).")
            }
            return .classTag(known.rawValue)
        },
        EntrySelector(
            name: "resource", value: "TYPE:ID",
            purgeHelp: "the answers that contain this resource, such as songs:1440935467",
            listHelp: "only answers that contain this resource, such as songs:1440935467",
            label: "Resource", example: "songs:1440935467"
        ) { text throws(AdminRequestError) in .resource(try EntrySelection.resource(of: text)) },
    ]

    /// In the order in which `/entries` names them.
    static let parameters = narrowing + [url]

    /// The fields of the dashboard's form.
    static var fields: String {
        purging.map { selector in
            let most = selector.mostCharacters.map { " maxlength=\"\($0)\"" } ?? ""
            return "<label>\(selector.label) <input name=\"\(selector.name)\"\(most) autocomplete=\"off\" "
                + "spellcheck=\"false\" placeholder=\"\(selector.example)\"></label>"
        }.joined(separator: "\n")
    }
}

extension EntrySelection {
    /// The canonical target of a URL, absolute or in origin-form. Its host does not matter: an app
    /// writes the proxy's address, a developer Apple's.
    public static func target(of url: String) throws(AdminRequestError) -> [UInt8] {
        var target = url[...]
        let lower = url.lowercased()
        if let scheme = ["https://", "http://"].first(where: lower.hasPrefix) {
            let rest = url.utf8.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
            guard end > rest.startIndex else { throw expectedURL("no host") }
            target = url[end...]
        } else if !url.hasPrefix("/") {
            throw expectedURL("it begins with neither / nor http:// nor https://")
        }
        return try canonical(target, expectedURL)
    }

    fileprivate static func expectedURL(_ problem: String) -> AdminRequestError {
        AdminRequestError(
            detail: "url: expected a URL or a path with its query, such as /v1/catalog/us/songs/1 (\(problem)).")
    }

    /// A path up to any byte; a `/` at its end, which no canonical path has, stays.
    fileprivate static func prefix(of text: String) throws(AdminRequestError) -> [UInt8] {
        guard text.hasPrefix("/") else { throw expectedPrefix("it does not begin with /") }
        guard !text.contains("?") else { throw expectedPrefix("a query") }
        let path = try canonical(text[...], expectedPrefix)
        return text.hasSuffix("/") && path.count > 1 ? path + [UInt8(ascii: "/")] : path
    }

    fileprivate static func expectedPrefix(_ problem: String) -> AdminRequestError {
        AdminRequestError(detail: "prefix: expected the beginning of a path, such as /v1/catalog/us/ (\(problem)).")
    }

    fileprivate static func canonical(
        _ target: Substring, _ refusal: (String) -> AdminRequestError
    ) throws(AdminRequestError) -> [UInt8] {
        do throws(TargetError) {
            return try CanonicalTarget(String(target)).bytes
        } catch {
            throw refusal("\(error.reason)")
        }
    }

    /// The number of `TYPE:ID`. An id may have colons, a type has none. Requests separate ids by
    /// commas, so no id has one.
    fileprivate static func resource(of text: String) throws(AdminRequestError) -> UInt64 {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            parts[0].utf8.allSatisfy({ 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "-") }),
            parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw AdminRequestError(detail: "resource: expected TYPE:ID, such as songs:1440935467.")
        }
        guard !parts[1].contains(",") else {
            throw AdminRequestError(
                detail: "resource: expected one TYPE:ID, such as songs:1440935467, and a request for each.")
        }
        if let meant = ResourceMention.knownType(near: String(parts[0])) {
            throw AdminRequestError(detail: "resource: unknown type; did you mean \(meant)?")
        }
        return ResourceMention.number(type: String(parts[0]), id: String(parts[1]))
    }
}
