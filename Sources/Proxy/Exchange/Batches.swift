import AppleMusic
import EventLoop
import Synchronization
import Text
import Upstream

/// The single-resource misses of all loops that are joined into `ids` requests. Its lock is taken
/// by each such miss, when it goes to the origin and when it has ended.
final class Batches: Sendable {
    typealias State = BatchState<Kind, Confined<Exchange>>

    /// The facts that misses of one batch share: everything but the id. A class, because it is kept
    /// until the request has ended, and copies of its members were a thousand instructions of a
    /// miss.
    final class Kind: NumberedKey, Sendable {
        /// Catalog request of the first of them.
        let wanted: CatalogRequest
        /// The developer token that the client brought, where it goes along.
        private let authorization: ClientAuthorization?
        /// The proxies that the client's request has passed: a list has one chain.
        private let via: ViaChain
        /// The party of the client, while requests wait for their turn: a list has one turn.
        private let party: UpstreamParty?
        /// Worked out once, for every miss is looked for twice. Of the kinds under way few differ
        /// in the rest alone.
        let hashNumber: UInt64

        init(_ wanted: CatalogRequest, _ forwarded: ForwardedRequest, _ party: UpstreamParty?) {
            self.wanted = wanted
            authorization = forwarded.clientAuthorization
            via = forwarded.via
            self.party = party
            var hasher = Hasher()
            hasher.combine(Int(wanted.shape.type.rawValue) | wanted.shape.include.count << 8)
            hasher.combine(wanted.storefront)
            if !wanted.language.isEmpty { hasher.combine(wanted.language) }
            hashNumber = UInt64(bitPattern: Int64(hasher.finalize()))
        }

        static func == (one: Kind, other: Kind) -> Bool {
            one === other
                || one.wanted.storefront == other.wanted.storefront && one.wanted.shape == other.wanted.shape
                    && one.wanted.language == other.wanted.language && one.authorization == other.authorization
                    && one.party == other.party && one.via == other.via
        }
    }

    private let state = Mutex(State())

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
}
