import AppleMusic
import HTTP

/// The proxy's tokens, shared by all loops.
///
/// The developer token replaces whatever the client sent; the user token stands in on personal
/// requests that bring none.
public struct Credentials: Sendable {
    /// nil: the clients' own `Authorization` is passed on.
    let developer: DeveloperTokens?
    /// nil: clients bring their own `Music-User-Token`.
    let musicUser: SecretBytes?

    /// The site that the developer token is bound to, which requests then have to name; nil for
    /// most tokens.
    let origin: [UInt8]?

    public init(developer: DeveloperTokens?, musicUser: SecretBytes?, origin: [UInt8]? = nil) {
        (self.developer, self.musicUser, self.origin) = (developer, musicUser, origin)
    }
}
