import AppleMusic
import Cache

// What a purge is asked to do: the content of POST /purge, read strictly, because a misread purge cannot be undone.
// Must hold: nothing is purged that was not named; a member that is not understood is an error; errors say which member
// and what was expected, and repeat nothing but a member's name.

/// Why a purge is refused: 400 to a client, a usage error on the command line.
public struct PurgeRequestError: Error, Equatable {
    /// One sentence without quotation marks.
    public let detail: String
}

/// A purge as an operator asks for it: an object with the members `url`, `prefix`, `storefront`, `resource`, `all`, `hard` and
/// `dry_run`. Selectors narrow each other; `all` stands alone.
public struct PurgeRequest: Sendable, Equatable {
    public private(set) var selection = EntrySelection()
    public private(set) var mode = PurgeMode.soft
    private var isForAll = false
    private var isHard = false
    private var isDryRun = false

    private static let members = ["url", "prefix", "storefront", "resource", "all", "hard", "dry_run"]

    /// Reads a JSON object.
    public init(_ content: [UInt8]) throws(PurgeRequestError) {
        guard let object = (try? JSON.parse(content))?.objectValue else {
            throw PurgeRequestError(
                detail: #"Expected a JSON object with one of url, prefix, storefront, resource, all."#)
        }
        guard Set(object.keys).count == object.count else {
            throw PurgeRequestError(detail: "A member is given twice.")
        }
        for member in object.members { try take(member.key, member.value) }
        guard isForAll || selection != EntrySelection() else {
            throw PurgeRequestError(
                detail: "Nothing is chosen: one of url, prefix, storefront, resource, all is needed.")
        }
        guard !isForAll || selection == EntrySelection() else {
            throw PurgeRequestError(detail: "all: contradicts every other selector.")
        }
        mode = isDryRun ? .dryRun : isHard ? .hard : .soft
    }

    private mutating func take(_ name: String, _ value: JSON) throws(PurgeRequestError) {
        switch name {
        case "url": selection.target = try Self.target(of: Self.text(name, value))
        case "prefix": selection.prefix = try Self.prefix(of: Self.text(name, value))
        case "storefront":
            guard let storefront = Storefront(try Self.text(name, value)) else {
                throw PurgeRequestError(detail: "storefront: expected two lower-case letters, such as us.")
            }
            selection.storefront = Array(storefront.text.utf8)
        case "resource": selection.resource = try Self.resource(of: Self.text(name, value))
        case "all": isForAll = try Self.flag(name, value)
        case "hard": isHard = try Self.flag(name, value)
        case "dry_run": isDryRun = try Self.flag(name, value)
        default:
            throw PurgeRequestError(
                detail: "\(Self.shown(name)): unknown; known are \(Self.members.joined(separator: ", ")).")
        }
    }

    private static func text(_ name: String, _ value: JSON) throws(PurgeRequestError) -> String {
        guard let text = value.stringValue else { throw PurgeRequestError(detail: "\(name): expected a string.") }
        return text
    }

    private static func flag(_ name: String, _ value: JSON) throws(PurgeRequestError) -> Bool {
        guard case .bool(let flag) = value else { throw PurgeRequestError(detail: "\(name): expected true or false.") }
        return flag
    }

    /// The name of a member that is not ours, where it is harmless to repeat.
    private static func shown(_ name: String) -> String {
        let isWord = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        return isWord && (1...32).contains(name.utf8.count) ? name : "A member"
    }

    // MARK: Selectors

    /// The canonical target of a URL, absolute or in origin-form. Whose URL it is does not matter: an app writes the proxy's
    /// address, a developer Apple's.
    private static func target(of url: String) throws(PurgeRequestError) -> [UInt8] {
        var target = url[...]
        let lower = url.lowercased()
        if let scheme = ["https://", "http://"].first(where: lower.hasPrefix) {
            let rest = url.utf8.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
            guard end > rest.startIndex else { throw expectedURL("no host") }
            target = url[end...]
        } else if !url.hasPrefix("/") {
            throw expectedURL("no path")
        }
        return try canonical(target, expectedURL)
    }

    private static func expectedURL(_ problem: String) -> PurgeRequestError {
        PurgeRequestError(
            detail: "url: expected a URL or a path with its query, such as /v1/catalog/us/songs/1 (\(problem)).")
    }

    /// A path up to any byte; a `/` at its end, which no target has, stays.
    private static func prefix(of text: String) throws(PurgeRequestError) -> [UInt8] {
        guard text.hasPrefix("/") else { throw expectedPrefix("no path") }
        guard !text.contains("?") else { throw expectedPrefix("a query") }
        let isWhole = text.count > 2 && text.hasSuffix("/")
        let path = try canonical(isWhole ? text.dropLast() : text[...], expectedPrefix)
        return isWhole ? path + [UInt8(ascii: "/")] : path
    }

    private static func expectedPrefix(_ problem: String) -> PurgeRequestError {
        PurgeRequestError(detail: "prefix: expected the beginning of a path, such as /v1/catalog/us/ (\(problem)).")
    }

    private static func canonical(
        _ target: Substring, _ refusal: (String) -> PurgeRequestError
    ) throws(PurgeRequestError) -> [UInt8] {
        do throws(TargetError) {
            return try CanonicalTarget(String(target)).bytes
        } catch {
            throw refusal("\(error.reason)")
        }
    }

    /// The number of `TYPE:ID`. An id may have colons, a type has none.
    private static func resource(of text: String) throws(PurgeRequestError) -> UInt64 {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            parts[0].utf8.allSatisfy({ 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "-") }),
            parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw PurgeRequestError(detail: "resource: expected TYPE:ID, such as songs:1440935467.")
        }
        return ResourceMention.number(type: String(parts[0]), id: String(parts[1]))
    }
}
