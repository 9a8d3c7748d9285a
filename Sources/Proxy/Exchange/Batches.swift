import AppleMusic
import EventLoop
import Store
import Synchronization
import Text
import Upstream

/// A miss whose request may be joined with others. Confined to its loop.
protocol BatchMember: AnyObject {
    /// Its request cannot be joined with others.
    /// - Parameter kind: nil where another member tells the end.
    func goesAlone(asOneOf kind: Batches.Kind?)
    /// Its request is to be joined with others; `partEnded` or `goesAlone` will be called.
    func waitsForOthers()
    /// Its request and others' go as this one.
    func lead(_ batch: Batches.State.Batch)
    /// The request for the batch has ended; `isFirst`: of the member that leads it.
    func partEnded(_ end: PartEnd, isFirst: Bool)
}

/// The single-resource misses of all loops that are joined into `ids` requests. Its lock is taken
/// by each such miss, when it goes to the origin and when it has ended.
final class Batches: Sendable {
    typealias State = BatchState<Kind, Member>

    /// A miss, and the party whose client waits for it.
    struct Member: Sendable {
        let miss: Confined<any BatchMember>
        let party: UpstreamParty
    }

    /// The facts that misses of one batch share: everything but the id. A class, because it is kept
    /// until the request has ended, and copies of its members were a thousand instructions of a
    /// miss.
    final class Kind: NumberedKey, Sendable {
        /// Catalog request of the first of them.
        let wanted: CatalogRequest
        /// A number for all else of the clients' requests that goes along, such as the proxies that
        /// they have passed: a list has one chain.
        private let question: UInt64
        private let origin: OriginTag
        /// The party of the client, while requests wait for their turn: a list has one turn.
        private let party: UpstreamParty?
        /// Worked out once, for every miss is looked for twice. Of the kinds under way few differ
        /// in the rest alone.
        let hashNumber: UInt64

        init(_ wanted: CatalogRequest, question: UInt64, of origin: OriginTag, _ party: UpstreamParty?) {
            self.wanted = wanted
            (self.question, self.origin, self.party) = (question, origin, party)
            var hasher = Hasher()
            hasher.combine(Int(wanted.shape.type.rawValue) | wanted.shape.include.count << 8)
            hasher.combine(wanted.storefront)
            if !wanted.language.isEmpty { hasher.combine(wanted.language) }
            hashNumber = UInt64(bitPattern: Int64(hasher.finalize()))
        }

        static func == (one: Kind, other: Kind) -> Bool {
            one === other
                || one.wanted.storefront == other.wanted.storefront && one.wanted.shape == other.wanted.shape
                    && one.wanted.language == other.wanted.language && one.question == other.question
                    && one.party == other.party && one.origin == other.origin
        }
    }

    private let state = Mutex(State())

    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }
}
