import Compose
import EventLoop
import HTTP
import Store

/// Settings by which the services of all loops answer requests: values that a reload replaces.
public struct ServiceSettings: Sendable {
    public var credentials: Credentials
    var policy: Policy
    /// The upstream, as keys have it.
    public internal(set) var origin: Origin
    /// `Host` of the upstream requests.
    var authority: [UInt8]
    var crossOrigin: CrossOrigin
    /// How answers are composed of others.
    var composition: CompositionSettings
    /// nil: anyone who can connect is served.
    public var clientKeys: ClientKeys?
    /// The names of the request fields that pages may send besides those that every page may, as
    /// a list; `*`: any.
    public var pageFields = PageFields(["*"])
    /// Clients' fields that go along to the origin beyond those that the API needs; mostly none.
    public var forwardedFields = NamedFields()
    /// Tells the operator of the origin's failures.
    public var warn: @Sendable (String) -> Void = { _ in }
    /// Asks for answers in gzip, and gives them so; absent where there is no zlib.
    var gzip = Gzip.system
    /// How many of a million composed answers are also asked for and compared, in the background.
    public var verifySample = 0
    /// Whether `compose verify` compares. A recording does not answer what its clients did not ask
    /// for.
    public var verifies = true
    /// The path at which clients' listeners say whether clients may be sent here; nil: none.
    public var healthPath: [UInt8]?
    /// Whether paths outside of the API are forwarded.
    public var servesOther = true
    /// Whether only clients whose token works get stored answers, where they bring their own. Not
    /// in a replay, whose clients' tokens are not recorded.
    public var provesTokens = true

    public init(
        credentials: Credentials, policy: Policy, origin: Origin, authority: String, crossOrigin: CrossOrigin = .any,
        composition: CompositionSettings = CompositionSettings()
    ) {
        (self.credentials, self.policy, self.origin) = (credentials, policy, origin)
        self.authority = Array(authority.utf8)
        (self.crossOrigin, self.composition) = (crossOrigin, composition)
    }

    /// Whether something else was learnt under the other settings: from another origin, under
    /// another policy, or for another way to compose.
    func learnsOtherwise(than other: ServiceSettings) -> Bool {
        origin != other.origin || policy != other.policy || composition != other.composition
    }
}
