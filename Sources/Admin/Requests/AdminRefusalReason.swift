/// Rule that a call has failed.
enum AdminRefusalReason: Int, CaseIterable, Sendable {
    /// Neither a token nor an open session.
    case noToken
    case wrongToken
    /// A wrong token in the form of `/login`.
    case login
    /// A change by another user than the proxy's and root, without a token.
    case user
    /// A web page of another origin.
    case crossSite
    /// `Host` is no loopback name, without a token.
    case host

    /// The label's value in the metrics.
    var word: String {
        switch self {
        case .noToken: "no-token"
        case .wrongToken: "wrong-token"
        case .login: "login"
        case .user: "user"
        case .crossSite: "cross-site"
        case .host: "host"
        }
    }

    /// Words for the log.
    var phrase: String {
        switch self {
        case .noToken: "no token"
        case .wrongToken: "wrong token"
        case .login: "wrong token at /login"
        case .user: "a change by another user"
        case .crossSite: "a page of another site"
        case .host: "Host is no loopback name"
        }
    }
}
