import AppleMusic
import Cache
import Server

/// Clients: their rights, and the users of whom anything is kept.
final class Clients {
    /// Nil: anyone who can connect is served.
    let keys: ClientKeys?
    /// Clients' fields that go along to the origin beyond those that the API needs.
    let forwardedFields: NamedFields
    /// Whether paths outside of the API are forwarded.
    let servesOther: Bool
    /// By which the proxy finds its own requests when they come back.
    let name: ViaChain.Name
    /// Nil where nothing personal can be kept.
    let users: UserScopes?
    /// Whether anything personal is stored at all.
    let keepsPersonal: Bool
    /// The operator's own user token.
    let operatorsToken: SecretBytes?
    private let personalPause: PersonalPause
    private let nodes: NodeCount
    private let base: LoopBase

    init(_ shared: ProxyShared, _ base: LoopBase) {
        keys = shared.clientKeys
        forwardedFields = shared.forwardedFields
        servesOther = shared.servesOther
        name = shared.name
        users = shared.users
        keepsPersonal = shared.keepsPersonal
        operatorsToken = shared.credentials.musicUser
        personalPause = shared.personalPause
        nodes = shared.nodes
        self.base = base
    }

    /// Counts a request of the client; seconds to wait where it asks more often than it may.
    func wait(for client: Client) -> Int? { client.admit(at: base.now, nodes: nodes.alive) }

    /// Whether anything personal may be kept and found now.
    var mayKeepPersonal: Bool { !personalPause.holds(at: base.now) }

    /// Forgets what is stored for a user.
    func drop(_ user: UserHash) {
        guard let ended = users?.end(user, at: base.now) else { return }
        base.cache.free(ended)
    }
}
