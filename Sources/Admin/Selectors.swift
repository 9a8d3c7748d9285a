import AppleMusic
import Cache

// The selectors of purges and listings, as operators write them: read strictly, because what is
// misread purges or shows something else than was meant.

extension EntrySelection {
    /// Narrows the selection by what is written behind `url`, `prefix`, `storefront`, `class` or
    /// `resource`.
    public mutating func take(_ name: String, _ text: String) throws(AdminRequestError) {
        switch name {
        case "url": target = try Self.target(of: text)
        case "prefix": prefix = try Self.prefix(of: text)
        case "storefront":
            guard let code = Storefront(text) else {
                throw AdminRequestError(detail: "storefront: expected two lower-case letters, such as us.")
            }
            storefront = Array(code.text.utf8)
        case "class":
            guard let known = ResourceClass(name: text) else {
                let names = ResourceClass.allCases.map(\.name).joined(separator: ", ")
                throw AdminRequestError(detail: "class: expected one of \(names).")
            }
            classTag = known.rawValue
        case "resource": resource = try Self.resource(of: text)
        default: preconditionFailure("no selector: \(name)")
        }
    }

    /// The canonical target of a URL, absolute or in origin-form. Whose URL it is does not matter:
    /// an app writes the proxy's address, a developer Apple's.
    public static func target(of url: String) throws(AdminRequestError) -> [UInt8] {
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

    fileprivate static func expectedURL(_ problem: String) -> AdminRequestError {
        AdminRequestError(
            detail: "url: expected a URL or a path with its query, such as /v1/catalog/us/songs/1 (\(problem)).")
    }

    /// A path up to any byte; a `/` at its end, which no target has, stays.
    fileprivate static func prefix(of text: String) throws(AdminRequestError) -> [UInt8] {
        guard text.hasPrefix("/") else { throw expectedPrefix("no path") }
        guard !text.contains("?") else { throw expectedPrefix("a query") }
        let isWhole = text.count > 2 && text.hasSuffix("/")
        let path = try canonical(isWhole ? text.dropLast() : text[...], expectedPrefix)
        return isWhole ? path + [UInt8(ascii: "/")] : path
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

    /// The number of `TYPE:ID`. An id may have colons, a type has none.
    fileprivate static func resource(of text: String) throws(AdminRequestError) -> UInt64 {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            parts[0].utf8.allSatisfy({ 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "-") }),
            parts[1].utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw AdminRequestError(detail: "resource: expected TYPE:ID, such as songs:1440935467.")
        }
        return ResourceMention.number(type: String(parts[0]), id: String(parts[1]))
    }
}
