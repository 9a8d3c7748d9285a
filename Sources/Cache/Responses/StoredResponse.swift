import Freshness
import HTTP
import Store
import Synchronization
import Text

// A response as it is kept: immutable, shared by all loops, ready to be sent.
// Must hold: everything that can be computed once is computed here, not on a hit; `head` and `body`
// are never changed; `byteCount` counts all memory that is held, so no array keeps much more room
// than it fills; the outline of a body goes wherever the body goes.

/// A stored response.
public final class StoredResponse: ReusableAnswer, Sendable {
    /// The request that it answers, and the clients that may get it.
    public let key: CacheKey
    public let status: Int
    /// Wire-ready: status line, fields, Content-Length, each with CR LF. Age, Date, Cache-Status
    /// and the empty line follow.
    public let head: [UInt8]
    /// The content: without the coding in which it came, where that was asked for.
    public var body: [UInt8] { content.bytes }
    /// Known without inflating anything.
    public var bodyCount: Int { content.count }
    let content: ResponseContent
    /// Whether `body` was asked for and could not be inflated: its bytes are no answer then.
    public var isDamaged: Bool { content.isDamaged }
    /// The content in gzip; nil until it came or was made so.
    public let gzip: GzipForm?
    /// Unix seconds at which the response came, or was last confirmed.
    public let receivedAt: Int64
    /// The number of the latest purge when its fetch began, when it was composed, or when it was
    /// last asked about (`Purges.newest`): purges up to that do not concern it. 0: any purge may.
    public let born: Int64
    /// Position among the answers that this process was given (`ResponseCache.arrivals`); 0 where
    /// it came from the file. In memory alone.
    public let arrival: Int64
    /// How long it may be used.
    public let lifetime: Lifetime
    /// The resource class, as a number of the code that stores; `FileTier.open(classNames:)`
    /// names it.
    public let classTag: UInt8
    /// Two lower-case letters, or nothing.
    public let storefront: [UInt8]
    /// The names, in a variant index, of the request fields by which answers to the target are told
    /// apart (RFC 9110 12.5.5), as `VariantIndex` writes them. Empty for an answer.
    let selecting: [UInt8]
    /// The resources that the content names, as `ResourceMention` numbers them, ascending: a purge
    /// by resource finds them. `everyResource` alone where it may name any; empty where it was
    /// composed, as `composition` knows them then.
    public let resources: [UInt64]
    /// The number that means any resource.
    public static var everyResource: UInt64 { RecordFacts.everyResource }
    /// The structure of `body`; nil where none was worked out, and for answers read from disk.
    public let outline: (any Outline)?
    /// How the proxy made it out of stored answers; nil for an answer of the origin's. Such an
    /// answer is kept in memory alone, by `ResponseCache.store(composed:from:)`.
    public let composition: Composition?
    /// Size in memory: the bytes it holds and `overhead`. Added up once: a tier subtracts the same
    /// number when the answer goes, and adding up then would miss the processor's caches.
    public let byteCount: Int
    /// The checksum of `body`; 0 where it was not needed for an entity tag.
    let bodySum: UInt64
    /// Read off `head`, whose offsets they are.
    public let validators: Validators
    private let fieldsRange: Range<Int>
    /// Whether its heads name Accept-Encoding in a `Vary` of their own, because the origin's fields
    /// do not.
    let addsVary: Bool
    /// Whether it was asked for in a coding that it does not have, see `noteCodingRequest`.
    private let isWantedCoded = Atomic<Bool>(false)
    /// Whether it was fetched in place of a smaller answer, and was not served itself yet. Copies
    /// do not keep it.
    private let isUnserved = Atomic<Bool>(false)
    /// The number of the latest purge when it was last found unchosen; see `judged`.
    private let judgedNumber = Atomic<Int64>(0)
    /// When the last use was last told to the file, unix seconds; see `shouldReportUse`.
    private let reportedUse: Atomic<Int64>

    /// A response that just came. `fields` are `Name: value\r\n` lines; those that must not be
    /// stored are dropped. A Date is added where the origin's rules are followed and there is none,
    /// and a strong `ETag` to a 200 that has none, computed from the content here, once.
    public convenience init(
        key: CacheKey, status: Int, fields: [UInt8], followsOrigin: Bool = false, body: [UInt8],
        receivedAt: Int64, arrival: Int64 = 0, born: Int64 = 0, lifetime: Lifetime, classTag: UInt8,
        storefront: [UInt8], selecting: [UInt8] = [], resources: [UInt64] = [], outline: (any Outline)? = nil,
        composition: Composition? = nil, gzip: [UInt8]? = nil
    ) {
        var (kept, hasDate, hasEntityTag, hasLastModified) = KeptFields.storable(
            fields.span, followsOrigin: followsOrigin)
        if followsOrigin, !hasDate { kept.append(contentsOf: PreparedHead.dateLine(receivedAt)) }
        var (bodySum, onlyTag) = (UInt64(0), ByteRange?.none)
        if status == 200, !hasEntityTag {
            if followsOrigin {
                OwnTag.appendDigest(of: body, to: &kept)
            } else {
                bodySum = Checksum.of(body.span)
                let tag = OwnTag.appendChecksum(bodySum, bodyCount: body.count, to: &kept)
                if !hasLastModified { onlyTag = tag }
            }
        }
        self.init(
            restoring: key, status: status, fields: kept, content: .plain(body.compacted()), receivedAt: receivedAt,
            arrival: arrival, born: born, lifetime: lifetime, classTag: classTag, storefront: storefront,
            selecting: selecting,
            resources: resources, outline: outline, composition: composition, gzip: gzip, bodySum: bodySum,
            onlyTag: onlyTag)
    }

    /// A response whose fields have been through the other initialiser before: from the database,
    /// or from another response.
    ///
    /// - Parameter onlyTag: where among `fields` the value of an own tag is, where there is no
    ///   other validator; nil where validators are to be looked for.
    init(
        restoring key: CacheKey, status: Int, fields: [UInt8], content: ResponseContent, receivedAt: Int64,
        arrival: Int64 = 0, born: Int64 = 0, lifetime: Lifetime, classTag: UInt8, storefront: [UInt8],
        selecting: [UInt8] = [],
        resources: [UInt64] = [], outline: (any Outline)? = nil, composition: Composition? = nil,
        gzip: [UInt8]? = nil, bodySum: UInt64 = 0, onlyTag: ByteRange? = nil
    ) {
        let addsVary = gzip != nil && !GzipForm.isVaryStated(in: fields.span)
        let (head, fieldsRange) = PreparedHead.whole(
            status: status, fields: fields, bodyCount: content.count, addsVary: addsVary)
        self.key = key.compacted()
        self.status = status
        self.head = head.compacted()
        validators = onlyTag.map { Validators(ownTag: $0.moved(by: fieldsRange.lowerBound)) } ?? Validators(head.span)
        self.fieldsRange = fieldsRange
        self.content = content
        self.addsVary = addsVary
        self.gzip = gzip.map { GzipForm($0, status: status, fields: fields, addsVary: addsVary) }
        self.receivedAt = receivedAt
        self.arrival = arrival
        self.born = born
        self.lifetime = lifetime
        self.classTag = classTag
        self.storefront = storefront
        self.selecting = selecting
        self.resources = resources.compacted()
        self.outline = outline
        self.composition = composition
        self.bodySum = bodySum
        let coded = self.gzip.map { $0.head.count + $0.body.count } ?? 0
        let attached = (outline?.byteCount ?? 0) + (composition?.byteCount ?? 0)
        byteCount =
            self.key.bytes.count + self.head.count + content.count + coded + storefront.count + selecting.count
            + self.resources.count * MemoryLayout<UInt64>.size + attached + Self.overhead
        reportedUse = Atomic(receivedAt)
    }

    /// `other` with an outline: its arrays are shared, nothing is computed again.
    private init(_ other: StoredResponse, outline: any Outline) {
        key = other.key
        status = other.status
        head = other.head
        validators = other.validators
        fieldsRange = other.fieldsRange
        content = other.content
        gzip = other.gzip
        addsVary = other.addsVary
        receivedAt = other.receivedAt
        arrival = other.arrival
        born = other.born
        lifetime = other.lifetime
        classTag = other.classTag
        storefront = other.storefront
        selecting = other.selecting
        resources = other.resources
        self.outline = outline
        composition = other.composition
        bodySum = other.bodySum
        byteCount = other.byteCount - (other.outline?.byteCount ?? 0) + outline.byteCount
        reportedUse = Atomic(other.reportedUse.load(ordering: .relaxed))
    }

    /// This response with an outline of its body. Copies no content.
    public func with(outline: any Outline) -> StoredResponse { StoredResponse(self, outline: outline) }

    /// A copy with the given values; the outline goes along.
    func copy(
        at key: CacheKey? = nil, receivedAt: Int64? = nil, arrival: Int64? = nil, born: Int64? = nil,
        lifetime: Lifetime? = nil, gzip: [UInt8]? = nil
    ) -> StoredResponse {
        StoredResponse(
            restoring: key ?? self.key, status: status, fields: Array(fields), content: content,
            receivedAt: receivedAt ?? self.receivedAt, arrival: arrival ?? self.arrival, born: born ?? self.born,
            lifetime: lifetime ?? self.lifetime, classTag: classTag, storefront: storefront, selecting: selecting,
            resources: resources,
            outline: outline, composition: composition, gzip: gzip ?? self.gzip?.body, bodySum: bodySum)
    }

    /// Whether it answers `key`: every byte is compared, in place.
    func isStored(under key: borrowing CacheKey) -> Bool { self.key.hasBytes(of: key) }

    /// The `Name: value\r\n` lines kept for the client.
    public var fields: ArraySlice<UInt8> { head[fieldsRange] }
    public var freshFor: Int { lifetime.freshFor }
    public var staleFor: Int { lifetime.staleFor }

    /// The object, the headers of its arrays, and its place in the memory tier, rounded up, in
    /// bytes.
    static let overhead = 600

    /// Whether it is `other`, or `other` with another outline or form. Copies share their arrays,
    /// so hardly a byte is compared.
    func isCopy(of other: StoredResponse) -> Bool {
        self === other
            || receivedAt == other.receivedAt && lifetime == other.lifetime && composition === other.composition
                && key == other.key && status == other.status && fields == other.fields && hasBody(of: other)
    }

    private func hasBody(of other: StoredResponse) -> Bool {
        guard let gzip, let theirs = other.gzip else { return body == other.body }
        return gzip.body == theirs.body
    }

    /// The answer with the number of its arrival (`ResponseCache.arrivals`), as another node's has
    /// none here.
    public func numbered(_ arrival: Int64) -> StoredResponse { copy(arrival: arrival) }

    /// The response without freshness, as a soft purge leaves it.
    func withoutFreshness(at unixSeconds: Int64) -> StoredResponse {
        copy(lifetime: lifetime.withoutFreshness(atAge: age(at: unixSeconds)))
    }

    /// The response for no longer than `rule` grants, with the age that it has.
    public func within(_ rule: Lifetime) -> StoredResponse {
        let shorter = lifetime.within(rule)
        return shorter == lifetime ? self : copy(lifetime: shorter)
    }

    /// Another machine's answer as one of this cache, born under that number of its list of purges.
    /// It counts as received at `unixSeconds` where it says later: that machine's clock may be
    /// ahead.
    public func adopted(bornUnder number: Int64, at unixSeconds: Int64) -> StoredResponse {
        copy(receivedAt: min(receivedAt, unixSeconds), born: number)
    }

    // Marks of its uses: the only members that change.

    /// Whether the store should hear of this use: at most one of all loops is told so, once in
    /// `interval` seconds, so that entries that live in memory are not the first to be evicted from
    /// disk.
    func shouldReportUse(at unixSeconds: Int64, every interval: Int) -> Bool {
        let last = reportedUse.load(ordering: .relaxed)
        // A use in the future was noted while the clock was ahead.
        guard last > unixSeconds || Lifetime.seconds(from: last, to: unixSeconds) >= interval else { return false }
        return reportedUse.compareExchange(expected: last, desired: unixSeconds, ordering: .relaxed).exchanged
    }

    /// Notes that it was asked for in a coding that it does not have. True the first time.
    public func noteCodingRequest() -> Bool { !isWantedCoded.exchange(true, ordering: .relaxed) }

    /// Forgets `noteCodingRequest`, as there was no room to code it: the next request counts as the
    /// first.
    public func forgetCodingRequest() { isWantedCoded.store(false, ordering: .relaxed) }

    /// Notes that it was fetched in place of a smaller answer.
    public func awaitUse() { isUnserved.store(true, ordering: .relaxed) }

    /// Whether it waits to be served itself.
    public var awaitsUse: Bool { isUnserved.load(ordering: .relaxed) }

    /// Notes that it is served. True for one of all loops after `awaitUse`.
    public func noteUse() -> Bool { isUnserved.exchange(false, ordering: .relaxed) }

    /// The number of the latest purge when it was last found that none has chosen it. Copies are
    /// judged anew.
    var judged: Int64 { judgedNumber.load(ordering: .relaxed) }

    func noteJudged(_ number: Int64) { judgedNumber.store(number, ordering: .relaxed) }

    /// Whether `noteCodingRequest` may still return true, and the content is large enough to code.
    public var mayBecomeCoded: Bool {
        bodyCount >= GzipForm.leastBytes && !isWantedCoded.load(ordering: .relaxed)
    }

    // A variant index as an entry: without content, at the base key of its target.

    /// Whether it is no answer but says where the answers are.
    var isVariantIndex: Bool { !selecting.isEmpty }

    /// The variant index at the base key of `answer`, which is among its variants. It outlives them
    /// all; eviction takes it, or an answer that does not vary.
    convenience init(variantIndex: VariantIndex, at base: CacheKey, for answer: StoredResponse) {
        self.init(
            restoring: base, status: 300, fields: [], content: .plain([]), receivedAt: answer.receivedAt,
            born: answer.born, lifetime: Lifetime(freshFor: 0, keepFor: Lifetime.longest), classTag: answer.classTag,
            storefront: answer.storefront, selecting: variantIndex.selecting)
    }

    /// The response under another key.
    func moved(to key: CacheKey) -> StoredResponse { key == self.key ? self : copy(at: key) }

    // After an answer of the origin that confirms it.

    /// This response after a 304 with these end-to-end `Name: value\r\n` lines, which answers
    /// `preconditionLines`.
    /// - Parameters:
    ///   - arrival: the number of the 304 among the answers that came.
    ///   - born: the number of the latest purge when the origin was asked.
    public func freshened(
        by fields: [UInt8], _ revalidation: Revalidation, arrival: Int64 = 0, born: Int64 = 0
    ) -> Freshening<StoredResponse> {
        revalidation.freshening(of: self, by: fields.span).map {
            renewed($0, revalidation, arrival: arrival, born: born)
        }
    }

    /// This response, of status 200, after a 200 to HEAD with these end-to-end lines: updated where
    /// it is about the same state of the content, stale where not, or where it may no longer be
    /// stored as it was.
    public func updated(byHead fields: [UInt8], contentLength: Int?, _ revalidation: Revalidation) -> StoredResponse {
        revalidation.renewal(of: self, byHead: fields.span, contentLength: contentLength)
            .flatMap { renewed($0, revalidation, born: born) } ?? withoutFreshness(at: revalidation.now)
    }

    /// Nil where the content is damaged: a damaged entry must not be refreshed.
    private func renewed(
        _ renewal: Renewal, _ revalidation: Revalidation, arrival: Int64 = 0, born: Int64
    ) -> StoredResponse? {
        let body = body
        if isDamaged { return nil }
        return StoredResponse(
            key: key, status: status, fields: renewal.fields, followsOrigin: revalidation.rule.followsOrigin,
            body: body, receivedAt: revalidation.now, arrival: arrival, born: born, lifetime: renewal.lifetime,
            classTag: classTag,
            storefront: storefront, selecting: selecting, resources: resources, outline: outline,
            composition: composition, gzip: gzip?.body)
    }
}
