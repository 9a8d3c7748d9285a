import Foundation

/// A small cache that takes the steps of a hunt in the place of the proxy, right or with a fault.
///
/// It stores answers by URL, and cuts items from fresher batches of the same form.
struct HuntModel {
    enum Fault: String, CaseIterable, Sendable {
        /// The own expired answer of a URL is back once a cut one is lost.
        case goesBack
        /// Answers of the cache say the age 0.
        case hidesAge
        case keepsForTooLong
        case ignoresPurges
        /// A resource that was once missing is left out of batches, also after others have it.
        case remembersAbsences
        /// Answers of a failing origin are stored.
        case learnsFromFailures
        /// An item has the form of the batch that it was cut from, in all worlds.
        case ignoresPlacements
        /// Half of a list of ids is of the answer before.
        case mixes
        /// Entity tags are those of URLs.
        case repeatsTags
    }

    private struct Entry {
        let moment: Int
        let status: Int
        let document: JSONNode
        var isPurged = false
    }

    private let world: HuntWorld
    private let fault: Fault?
    private var stored: [HuntRequest: Entry] = [:]
    /// Answers that were cut from others.
    private var cut: [HuntRequest: Entry] = [:]
    private var missing: Set<HuntName> = []

    init(_ world: HuntWorld, _ fault: Fault?) { (self.world, self.fault) = (world, fault) }

    mutating func restart() { cut = [:] }

    mutating func evict(_ requests: [HuntRequest], fromFile: Bool) {
        for request in requests {
            cut[request] = nil
            if fromFile { stored[request] = nil }
        }
    }

    mutating func purge(_ purge: HuntPurge) {
        guard fault != .ignoresPurges else { return }
        cut = [:]
        // A purge of a resource chooses all, because this cache has no index.
        for request in stored.keys {
            switch purge.scope {
            case .storefront(let storefront) where storefront != request.storefront: continue
            case .target(let target) where target != request: continue
            default: if purge.isHard { stored[request] = nil } else { stored[request]?.isPurged = true }
            }
        }
    }

    mutating func reply(
        to request: HuntRequest, _ manner: HuntManner, at now: Int, whileFailing failure: HuntOrigin.Failure?
    ) -> HuntReply {
        if let entry = cut[request], isFresh(entry, now) {
            return self.reply(entry, manner, now, "hit; detail=reduced")
        }
        if let entry = stored[request], isFresh(entry, now) { return self.reply(entry, manner, now, "hit", request) }
        if let entry = cutting(request, at: now) {
            cut[request] = entry
            if fault != .goesBack { stored[request] = nil }
            return self.reply(entry, manner, now, "hit; detail=reduced")
        }
        if let entry = stored[request], entry.status == 200, now - entry.moment < world.traits.longestAge {
            return self.reply(entry, manner, now, "hit; ttl=-1; detail=stale-while-revalidate", request)
        }
        return fetch(request, manner, at: now, whileFailing: failure)
    }

    private func isFresh(_ entry: Entry, _ now: Int) -> Bool {
        let lifetime = entry.status == 404 ? world.traits.notFound : world.traits.lifetime
        return !entry.isPurged && now - entry.moment < lifetime * (fault == .keepsForTooLong ? 3 : 1)
    }

    /// The item, from the newest fresh batch of the same parameters that is younger than the own
    /// answer.
    private func cutting(_ request: HuntRequest, at now: Int) -> Entry? {
        guard case .item(let type, let id) = request.subject, request.views.isEmpty else { return nil }
        guard world.traits.nesting == .always || fault == .ignoresPlacements else { return nil }
        let name = world.name(type, id)
        let sources = stored.filter { source, entry in
            var same = HuntRequest(.batch(type, ids: source.asked ?? []))
            (same.storefront, same.language, same.extends) = (request.storefront, request.language, request.extends)
            (same.includes, same.relates) = (request.includes, request.relates)
            return same == source && isFresh(entry, now) && entry.moment > stored[request]?.moment ?? -1
        }
        guard let newest = sources.values.max(by: { $0.moment < $1.moment }),
            let object = newest.document["data"]?.elements.first(where: { $0.identity == "\(name)" })
        else { return nil }
        let document = JSONNode(.object([("data", JSONNode(.array([object])))]))
        return Entry(moment: newest.moment, status: 200, document: document)
    }

    private mutating func fetch(
        _ request: HuntRequest, _ manner: HuntManner, at now: Int, whileFailing failure: HuntOrigin.Failure?
    ) -> HuntReply {
        let answer = world.answer(to: request, at: now)
        var entry = Entry(moment: now, status: answer.status, document: answer.document)
        if failure == .status503 || failure == .close { return HuntReply(status: 503) }
        if failure == .empty { return HuntReply(status: 200) }
        if failure == .incomplete {
            entry = Entry(moment: now, status: answer.status, document: answer.document.incomplete)
        }
        if fault == .mixes, request.asked != nil, let former = stored[request] { entry = mixed(entry, former) }
        if fault == .remembersAbsences { forget(&entry, request, now) }
        if failure == nil || fault == .learnsFromFailures { stored[request] = entry }
        return reply(entry, manner, now, "fwd=uri-miss; stored", request)
    }

    /// The first element of an answer is that of the one before.
    private func mixed(_ entry: Entry, _ former: Entry) -> Entry {
        let (new, old) = (entry.document["data"]?.elements ?? [], former.document["data"]?.elements ?? [])
        guard let first = old.first, first.identity == new.first?.identity else { return entry }
        let data = JSONNode(.array([first] + new.dropFirst()))
        return Entry(moment: entry.moment, status: 200, document: JSONNode(.object([("data", data)])))
    }

    /// Leaves out resources that were once missing.
    private mutating func forget(_ entry: inout Entry, _ request: HuntRequest, _ now: Int) {
        for name in world.asked(request) where !world.has(name, in: request.storefront, at: now) {
            missing.insert(name)
        }
        guard request.asked != nil, let data = entry.document["data"] else { return }
        let kept = data.elements.filter {
            !missing.contains($0.identity.flatMap(HuntName.init) ?? HuntName(.genres, 0))
        }
        entry = Entry(
            moment: entry.moment, status: 200, document: JSONNode(.object([("data", JSONNode(.array(kept)))])))
    }

    private func reply(
        _ entry: Entry, _ manner: HuntManner, _ now: Int, _ cacheStatus: String, _ request: HuntRequest? = nil
    ) -> HuntReply {
        let content = Data(entry.document.written.utf8)
        let isRepeated = fault == .repeatsTags && request != nil
        let tag = isRepeated ? "\"\(request?.target.hashValue ?? 0)\"" : "\"\(entry.document.digest)\""
        var reply = HuntReply(status: entry.status)
        reply.cacheStatus = "refrain; \(cacheStatus)"
        reply.age = cacheStatus.hasPrefix("hit") ? (fault == .hidesAge ? 0 : now - entry.moment) : nil
        (reply.tag, reply.contentLength, reply.body) = (tag, content.count, content)
        guard entry.status == 200 else { return reply }
        switch manner {
        case .get: break
        case .head: reply.body = Data()
        case .condition(let known) where known == tag: return with(reply, status: 304, Data())
        case .condition: break
        case .range(let first, _) where first >= content.count: return with(reply, status: 416, Data())
        case .range(let first, let last):
            let end = min(last, content.count - 1)
            reply.contentRange = "bytes \(first)-\(end)/\(content.count)"
            return with(reply, status: 206, content[first...end])
        }
        return reply
    }

    private func with(_ reply: HuntReply, status: Int, _ body: Data) -> HuntReply {
        var other = HuntReply(status: status)
        (other.cacheStatus, other.age, other.tag) = (reply.cacheStatus, reply.age, reply.tag)
        (other.contentRange, other.body) = (reply.contentRange, body)
        return other
    }
}
