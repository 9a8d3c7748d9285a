import TestSupport

/// A step of a hunt.
enum HuntAction: Sendable {
    case ask(HuntRequest, isSpeltOtherwise: Bool)
    /// Asks with HEAD, a condition, or a range.
    case askAgain(HuntRequest, Manner)
    case askTogether([HuntRequest])
    case pass(seconds: Int)
    case purge(HuntPurge.Scope, isHard: Bool)
    case evict([HuntRequest], fromFile: Bool)
    case restart(isKilled: Bool)
    case fail(HuntOrigin.Failure)

    enum Manner: CaseIterable, Sendable { case head, condition, range }
}

/// Draws steps from a seed.
struct HuntDraw: Sendable {
    private let traits: HuntTraits
    private var random: SeededGenerator
    /// Requests that were drawn before: many URLs are asked for again.
    private var former: [HuntRequest] = []
    /// Steps that are taken before any is drawn.
    private var planned: [HuntAction] = []

    private static let keptRequests = 40

    init(seed: UInt64, _ traits: HuntTraits) {
        // Worlds of one seed take other steps each.
        let number = traits.name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) }
        (self.traits, random) = (traits, SeededGenerator(seed: number))
    }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    private mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

    mutating func action() -> HuntAction {
        if !planned.isEmpty { return planned.removeFirst() }
        switch number(below: 1000) {
        case 0..<690: return .ask(request(), isSpeltOtherwise: chance(20))
        case 690..<790: return .askAgain(request(), pick(HuntAction.Manner.allCases))
        case 790..<820: return .askTogether((0..<(2 + number(below: 5))).map { _ in request() })
        case 820..<930: return .pass(seconds: seconds())
        case 930..<950: return .purge(scope(), isHard: chance(50))
        case 950..<975: return .evict(evicted(), fromFile: chance(60))
        case 975..<980:
            planned = chase()
            return planned.removeFirst()
        case 980..<988: return .restart(isKilled: chance(50))
        default: return .fail(pick(HuntOrigin.Failure.allCases))
        }
    }

    /// Mostly a few seconds; at times past the lifetime, or past all of it.
    private mutating func seconds() -> Int {
        switch number(below: 20) {
        case 0..<14: 1 + number(below: 4)
        case 14..<19: 1 + number(below: traits.lifetime)
        default: traits.lifetime + number(below: traits.longestAge)
        }
    }

    /// A URL's answer expires, a larger answer shows it newer, and is lost: the URL may go back.
    private mutating func chase() -> [HuntAction] {
        func ask(_ request: HuntRequest) -> HuntAction { .ask(request, isSpeltOtherwise: false) }
        let (request, larger) = chased()
        let losses: [HuntAction] = [
            .evict([larger], fromFile: true), .restart(isKilled: chance(50)), .purge(.target(larger), isHard: true),
            .purge(.target(larger), isHard: false), .purge(.target(request), isHard: false),
        ]
        return [
            ask(request), .pass(seconds: traits.lifetime + number(below: 5)), ask(larger), ask(request), pick(losses),
            .evict([request], fromFile: false), ask(request), .pass(seconds: number(below: traits.lifetime)),
            ask(request),
        ]
    }

    /// A request and a larger one.
    private mutating func chased() -> (HuntRequest, HuntRequest) {
        let one = fresh()
        var larger = one
        switch one.subject {
        case .item(let type, let id):
            if chance(50) {
                larger = HuntRequest(.batch(type, ids: [id, "\(hot(type.count))"]))
                (larger.storefront, larger.language, larger.extends) = (one.storefront, one.language, one.extends)
                larger.includes = one.includes
            } else {
                larger.includes[""] = Array(type.relations).sorted { $0.rawValue < $1.rawValue }
            }
        case .batch(let type, let ids):
            larger = HuntRequest(.batch(type, ids: ids + ["\(hot(type.count))"]))
            (larger.storefront, larger.language, larger.extends) = (one.storefront, one.language, one.extends)
            larger.includes = one.includes
        case .list(let type, _, let relation):
            (larger.offset, larger.limit) = (nil, relation.greatestLimit(of: type))
        }
        return (one, larger)
    }

    /// One, or half of those that are asked for again.
    private mutating func evicted() -> [HuntRequest] {
        guard chance(50) else { return [request()] }
        var some: [HuntRequest] = []
        for request in former where chance(50) { some.append(request) }
        return some
    }

    private mutating func scope() -> HuntPurge.Scope {
        switch number(below: 10) {
        case 0 where chance(50): .everything
        case 1 where chance(50): .storefront(chance(70) ? "us" : "gb")
        case 2..<6: .resource(HuntName(pick([.albums, .artists, .songs]), hot(traits.hotNames)))
        default: .target(request())
        }
    }

    // MARK: Requests

    mutating func request() -> HuntRequest {
        if !former.isEmpty, chance(65) { return pick(former) }
        let request = fresh()
        former = former.suffix(Self.keptRequests - 1) + [request]
        return request
    }

    private mutating func fresh() -> HuntRequest {
        var request: HuntRequest
        let type = pick([HuntType.albums, .albums, .artists, .songs, .songs, .playlists])
        switch number(below: 10) {
        case 0..<4:
            request = HuntRequest(.item(type, id: id(type)))
            if chance(15) { request.views = [[.topSongs], [.latestRelease, .topSongs]][number(below: 2)] }
            if type != .artists { request.views = [] }
        case 4..<7: request = batch(type)
        default: return page()
        }
        decorate(&request)
        return request
    }

    private mutating func batch(_ type: HuntType) -> HuntRequest {
        var ids: [String] = []
        for _ in 0..<(1 + number(below: type == .playlists ? 2 : 4)) {
            let id = id(type)
            if !ids.contains(id) { ids.append(id) }
        }
        return HuntRequest(.batch(type, ids: ids))
    }

    private mutating func page() -> HuntRequest {
        let (type, relation) = pick([
            (HuntType.artists, HuntRelation.albums), (.artists, .albums), (.playlists, .tracks), (.albums, .tracks),
            (.artists, .topSongs), (.songs, .artists),
        ])
        let id = chance(60) ? "1" : self.id(type)
        var request = HuntRequest(.list(type, id: id, relation))
        let greatest = relation.greatestLimit(of: type)
        if chance(70) { request.limit = min(greatest, pick([2, 5, 10, 20, 25, 50, 100])) }
        if chance(50) { request.offset = pick([5, 10, 20, 25, 30, 40, 50, 100]) }
        if chance(15), let include = type == .albums ? HuntRelation.artists : relation == .albums ? .artists : nil {
            request.includes = ["": [include]]
        }
        place(&request)
        return request
    }

    private mutating func decorate(_ request: inout HuntRequest) {
        let choices: [[HuntRelation]] =
            switch request.type {
            case .albums: [[.artists], [.artists, .genres], [.genres], [.tracks]]
            case .artists: [[.albums], [.albums, .genres], [.genres]]
            case .songs: [[.artists], [.albums, .artists], [.artists, .genres], [.albums]]
            default: [[.tracks]]
            }
        if chance(45) { request.includes = ["": pick(choices)] }
        if chance(5), request.type == .albums { request.includes["songs"] = [.artists] }
        if chance(3) { request.extends = true }
        place(&request)
    }

    private mutating func place(_ request: inout HuntRequest) {
        if chance(12) { request.storefront = "gb" }
        if chance(6) { request.language = "es-MX" }
    }

    /// One of few ids; some are other names, and some name nothing.
    private mutating func id(_ type: HuntType) -> String {
        if chance(2) { return "999" }
        let id = "\(min(hot(traits.hotNames), type.count))"
        return traits.hasAliases && chance(15) ? HuntWorld.aliasPrefix + id : id
    }

    /// A number from 1 on; low ones come up the most often.
    private mutating func hot(_ count: Int) -> Int { 1 + min(number(below: count), number(below: count)) }
}
