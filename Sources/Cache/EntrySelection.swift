// Which entries a purge or a listing means.

/// Entries chosen by what they answer; all conditions that are set must hold, none set means all entries.
public struct EntrySelection: Sendable, Equatable {
    /// The canonical path and query, exactly.
    public var target: [UInt8]?
    /// What the canonical path and query begins with.
    public var prefix: [UInt8]?
    /// Two lower-case letters.
    public var storefront: [UInt8]?
    public var classTag: UInt8?

    /// Everything.
    public init() {}

    /// Whether `response` is among the chosen.
    func matches(_ response: StoredResponse) -> Bool {
        if let target, !response.key.target.elementsEqual(target) { return false }
        if let prefix, !response.key.target.starts(with: prefix) { return false }
        if let storefront, response.storefront != storefront { return false }
        if let classTag, response.classTag != classTag { return false }
        return true
    }
}

/// What a purge does with the entries chosen.
public enum PurgeMode: Sendable {
    /// Removes them.
    case hard
    /// Takes their freshness away, so that the next request revalidates them or finds them stale.
    case soft
    /// Only counts them.
    case dryRun
}
