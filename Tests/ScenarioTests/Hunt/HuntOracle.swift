import Foundation

/// Judges each answer by its body, by the world, and by what its URL has shown before.
///
/// The promises are those of CACHING.md:
/// - Each part is a state that the origin had within the age that the answer says, and no answer is
///   older than the lifetimes allow. A missing id of a composed batch is at most as old as a 404.
/// - One answer shows one revision of each resource, and no resource with lists of another time.
/// - No URL shows a state of a resource, a list or an absence that is older than one that it has
///   shown, also after restarts, purges and evictions. Errors show nothing.
/// - Members, attributes, relationships, counts, order, and links are the origin's for the request.
/// - Nothing is older than a hard purge that chose it, and only stale answers are older than a soft
///   one. A purge of a URL chooses its own answer, not the answers that others are composed of.
/// - A composed answer shows each resource as the origin's newest answer does, and leaves out none
///   that a later answer names.
/// - 206, 304, and HEAD are those of the 200 with the same entity tag.
struct HuntOracle: Sendable {
    let world: HuntWorld
    /// The moment before which each URL shows no state of a thing.
    private var floors: [HuntRequest: [HuntThing: Int]] = [:]
    private var purges: [HuntPurge] = []
    /// The last contents of each URL with their entity tags.
    private var contents: [HuntRequest: [(tag: String, body: Data)]] = [:]
    private var newest = HuntNewest()

    private static let keptContents = 4

    init(_ world: HuntWorld) { self.world = world }

    /// The entity tag that the URL had last.
    func tag(of request: HuntRequest) -> String? { contents[request]?.last?.tag }

    private func content(of request: HuntRequest, tagged tag: String) -> Data? {
        contents[request]?.last { $0.tag == tag }?.body
    }

    mutating func note(_ purge: HuntPurge) {
        purges.append(purge)
        newest.noteLoss()
    }

    /// Notes that answers may be lost.
    mutating func noteLoss() { newest.noteLoss() }

    /// Notes an answer that the proxy has got from the origin before the answers judged next.
    mutating func noteOrigin(_ request: HuntRequest, at moment: Int) {
        newest.note(world.answer(to: request, at: moment), to: request, world, at: moment)
    }

    /// The verdict; the answer changes nothing until it is noted.
    /// - Parameter failure: how the origin fails at the time.
    func verdict(
        on reply: HuntReply, to request: HuntRequest, _ manner: HuntManner = .get, at now: Int,
        whileFailing failure: HuntOrigin.Failure? = nil
    ) -> HuntVerdict {
        var verdict = HuntVerdict()
        verdict.isJudged = false
        if let failure, isOfFailure(reply, manner, failure) { return verdict }
        if let fault = ageFault(reply) { verdict.faults.append(fault) }
        let scope = scope(of: reply, to: request, at: now)
        var reading = HuntReading(world, request, scope)
        if reply.status == 404 {
            verdict.isJudged = true
            reading.readNotFound()
        } else {
            let agreement = agreement(of: reply, to: request, manner)
            verdict.faults += agreement.faults
            if let content = agreement.content {
                verdict.isJudged = true
                do {
                    reading.read(try JSONNode.parse([UInt8](content)))
                } catch {
                    verdict.faults.append(HuntFault(.form, "", "\(error)"))
                }
            }
        }
        verdict.sights = reading.sights
        verdict.faults += reading.faults
        for sight in reading.sights {
            guard let floor = floors[request]?[sight.thing], sight.latest < floor else { continue }
            let reason = "\(sight.thing) is of \(now - sight.latest) s ago, and was shown as of \(now - floor) s ago"
            verdict.faults.append(HuntFault(.back, sight.path, reason))
        }
        if reply.isComposed {
            let age = world.traits.notFound
            verdict.faults += reading.sights.compactMap { newest.fault($0, request, at: now, absenceFor: age) }
        }
        return verdict
    }

    /// Remembers what the URL has shown.
    mutating func note(_ verdict: HuntVerdict, _ reply: HuntReply, to request: HuntRequest, _ manner: HuntManner) {
        for sight in verdict.sights {
            floors[request, default: [:]][sight.thing] = max(
                sight.earliest, floors[request]?[sight.thing] ?? sight.earliest)
        }
        if reply.status == 200, manner.method == "GET", let tag = reply.tag, verdict.isJudged {
            let others = (contents[request] ?? []).filter { $0.tag != tag }
            contents[request] = others.suffix(Self.keptContents - 1) + [(tag, reply.body)]
        }
    }

    // MARK: Ages

    private func ageFault(_ reply: HuntReply) -> HuntFault? {
        let traits = world.traits
        let limit = reply.status == 404 ? traits.notFound : reply.isStale ? traits.longestAge : traits.lifetime
        guard let age = reply.age, age >= world.allowedAge ?? limit else { return nil }
        return HuntFault(.age, "", "\(age) s\(reply.isStale ? ", stale" : ""), and \(limit) s are its end")
    }

    private func scope(of reply: HuntReply, to request: HuntRequest, at now: Int) -> HuntScope {
        let age = reply.age ?? 0
        var (oldest, purged) = (now - age, [HuntName: Int]())
        var absence = reply.isComposed ? now - max(age, world.traits.notFound - 1) : oldest
        for purge in purges where purge.isHard || !reply.isStale {
            switch purge.scope {
            case .everything: break
            case .storefront(let storefront) where storefront == request.storefront: break
            case .target(let target) where target == request && !reply.isComposed: break
            case .resource(let name):
                purged[name] = purge.moment
                continue
            case .storefront, .target: continue
            }
            (oldest, absence) = (max(oldest, purge.moment), max(absence, purge.moment))
        }
        return HuntScope(
            now: now, oldest: oldest, oldestAbsence: absence, purged: purged, storefront: request.storefront)
    }

    // MARK: Failures

    /// Whether the answer is the origin's failure, passed on.
    private func isOfFailure(_ reply: HuntReply, _ manner: HuntManner, _ failure: HuntOrigin.Failure) -> Bool {
        if reply.status >= 500 { return true }
        guard failure == .empty || failure == .incomplete, !reply.cacheStatus.contains("hit") else { return false }
        if manner.method == "HEAD" || reply.status == 206 || reply.status == 416 { return true }
        guard failure == .incomplete else { return reply.status == 200 && reply.body.isEmpty }
        let document = try? JSONNode.parse([UInt8](reply.body))
        return document?["errors"] != nil && document?["data"] != nil
    }

    // MARK: Agreement

    /// The content that the answer stands for, as far as it is known.
    private func agreement(
        of reply: HuntReply, to request: HuntRequest, _ manner: HuntManner
    ) -> (content: Data?, faults: [HuntFault]) {
        func fault(_ reason: String) -> (Data?, [HuntFault]) { (nil, [HuntFault(.agreement, "", reason)]) }
        let known = reply.tag.flatMap { content(of: request, tagged: $0) }
        switch (reply.status, manner) {
        case (200, .head):
            guard reply.body.isEmpty else { return fault("a HEAD with content") }
            guard let known else { return (nil, []) }
            let isAlike = reply.contentLength == known.count
            return isAlike ? (known, []) : fault("HEAD: \(reply.contentLength ?? 0) bytes instead of \(known.count)")
        case (200, .condition(let tag)) where reply.tag == tag:
            return fault("a 200 with the tag that the client has")
        case (200, _):
            if let known, known != reply.body { return fault("two contents with the tag \(reply.tag ?? "")") }
            return (reply.body, [])
        case (304, .condition(let tag)):
            guard reply.tag == nil || reply.tag == tag, let content = content(of: request, tagged: tag) else {
                return fault("304 with \(reply.tag ?? "no tag") to \(tag)")
            }
            return (content, [])
        case (206, .range(let first, let last)):
            guard let known else { return (nil, []) }
            let end = min(last, known.count - 1)
            guard first <= end, reply.body == known[first...end],
                reply.contentRange == "bytes \(first)-\(end)/\(known.count)"
            else { return fault("206 with \(reply.contentRange ?? "no range") of \(known.count) bytes") }
            return (known, [])
        case (416, .range(let first, _)):
            return known.map { first < $0.count } == true ? fault("416 within the content") : (nil, [])
        default:
            return (nil, [HuntFault(.status, "", "\(reply.status) to \(manner)")])
        }
    }
}
