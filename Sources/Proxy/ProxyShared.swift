import AppleMusic
import Cache

/// What all loops' services share: the cache, the tokens, the operator's policy.
public struct ProxyShared: Sendable {
    public let cache: ResponseCache
    public var credentials: Credentials
    public let policy: Policy
    /// `Host` of the upstream requests.
    public let authority: [UInt8]
    public let crossOrigin: CrossOrigin
    /// nil: anyone who can connect is served.
    public var clientKeys: ClientKeys?
    /// Where the operator is told what goes wrong with the origin.
    public var warn: @Sendable (String) -> Void = { _ in }

    public init(
        cache: ResponseCache, credentials: Credentials, policy: Policy, authority: String,
        crossOrigin: CrossOrigin = .any
    ) {
        self.cache = cache
        self.credentials = credentials
        self.policy = policy
        self.authority = Array(authority.utf8)
        self.crossOrigin = crossOrigin
    }
}
