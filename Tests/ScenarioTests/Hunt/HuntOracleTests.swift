import Foundation
import Testing

/// The oracle passes the origin's own answers, and finds faults that are planted in them.
@Suite struct HuntOracleTests {
    private static let worlds = HuntTraits.all.map { HuntWorld(seed: 7, $0) }
    private let world = HuntWorld(seed: 7, HuntTraits.brief[0])

    /// The reply with the origin's answer of a moment.
    private static func reply(
        _ world: HuntWorld, _ request: HuntRequest, at moment: Int, age: Int? = nil, _ cacheStatus: String = "hit"
    ) -> HuntReply {
        let answer = world.answer(to: request, at: moment)
        return reply(answer.document, answer.status, age: age, cacheStatus)
    }

    private static func reply(
        _ document: JSONNode, _ status: Int = 200, age: Int? = nil, _ cacheStatus: String = "hit"
    ) -> HuntReply {
        var reply = HuntReply(status: status)
        (reply.body, reply.age) = (Data(document.written.utf8), age)
        reply.cacheStatus = "refrain; \(cacheStatus)"
        reply.tag = "\"\(document.digest)\""
        return reply
    }

    /// The rules that an answer breaks after others.
    private func rules(
        _ reply: HuntReply, to request: HuntRequest, _ manner: HuntManner = .get, at now: Int,
        after oracle: HuntOracle? = nil, whileFailing failure: HuntOrigin.Failure? = nil
    ) -> [HuntFault.Rule] {
        let oracle = oracle ?? HuntOracle(world)
        return oracle.verdict(on: reply, to: request, manner, at: now, whileFailing: failure).faults.map(\.rule)
    }

    /// An oracle that has seen an answer of the URL.
    private func having(_ reply: HuntReply, to request: HuntRequest, at now: Int) -> HuntOracle {
        var oracle = HuntOracle(world)
        oracle.note(oracle.verdict(on: reply, to: request, at: now), reply, to: request, .get)
        return oracle
    }

    /// A name and moment such that the storefront `us` shows one state up to then and another one
    /// afterwards, and the latter for some seconds.
    private func change(_ type: HuntType, after first: Int = 200, goesAway: Bool = false) throws -> (HuntName, Int) {
        for id in 1...type.count {
            let name = HuntName(type, id)
            let states = (first..<first + 400).map { world.state(of: name, in: "us", at: $0) }
            for place in 3..<states.count - 6 where states[place] != nil && states[place] != states[place + 1] {
                let (before, after) = (Set(states[place - 3...place]), Set(states[place + 1...place + 6]))
                guard before.count == 1, after.count == 1, after.contains(nil) == goesAway else { continue }
                return (name, first + place)
            }
        }
        throw CocoaError(.featureUnsupported)
    }

    private func item(_ name: HuntName, _ include: [HuntRelation] = []) -> HuntRequest {
        var request = HuntRequest(.item(name.type, id: "\(name.id)"))
        if !include.isEmpty { request.includes = ["": include] }
        return request
    }

    // MARK: Right answers

    @Test(arguments: worlds) func theOriginsOwnAnswersAreRight(world: HuntWorld) {
        var draw = HuntDraw(seed: 5, world.traits)
        for number in 0..<150 {
            let (request, now, age) = (draw.request(), 300 + number, draw.number(below: world.traits.notFound))
            #expect(HuntRequest(target: request.target) == request, "\(request.target)")
            #expect(HuntRequest(target: request.otherTarget) == request, "\(request.otherTarget)")
            let reply = Self.reply(world, request, at: now - age, age: age)
            let verdict = HuntOracle(world).verdict(on: reply, to: request, at: now)
            #expect(verdict.faults.isEmpty && verdict.isJudged, "\(request.target): \(verdict.faults)")
            #expect(!verdict.sights.isEmpty || request.asked != nil, "\(request.target)")
        }
    }

    @Test func worldsChange() {
        for world in Self.worlds {
            var states: Set<[Int?]> = []
            for moment in 0..<200 {
                states.insert((1...10).map { world.state(of: HuntName(.albums, $0), in: "us", at: moment) })
            }
            #expect(states.count > 20, "\(world.traits.name)")
            let list = HuntList(HuntName(.artists, 1), .albums)
            let pages = (0..<40).map { world.page(of: list, 0, 10, in: "us", at: $0 * 20)?.names ?? [] }
            #expect(Set(pages).count > 5, "\(world.traits.name)")
        }
    }

    // MARK: Planted faults

    @Test func anOlderStateThanTheAgeSaysIsFound() throws {
        let (name, moment) = try change(.albums)
        let old = Self.reply(world, item(name), at: moment, age: 2)
        #expect(rules(old, to: item(name), at: moment + 2) == [])
        #expect(rules(old, to: item(name), at: moment + 3).contains(.state))
    }

    @Test func anAgeBeyondTheLifetimeIsFound() {
        let request = item(HuntName(.genres, 1))
        let traits = world.traits
        func rules(_ age: Int, _ cacheStatus: String) -> [HuntFault.Rule] {
            self.rules(Self.reply(world, request, at: 300, age: age, cacheStatus), to: request, at: 300)
        }
        #expect(rules(traits.lifetime - 1, "hit") == [] && rules(traits.lifetime, "hit") == [.age])
        #expect(rules(traits.longestAge - 1, "hit; ttl=-3") == [] && rules(traits.longestAge, "hit; ttl=-3") == [.age])
        #expect(rules(traits.lifetime, "hit; detail=stale-while-revalidate") == [])
    }

    @Test func aURLThatGoesBackIsFound() throws {
        for goesAway in [false, true] {
            let (name, moment) = try change(.albums, goesAway: goesAway)
            let request = item(name)
            let (old, new) = (
                Self.reply(world, request, at: moment, age: 5), Self.reply(world, request, at: moment + 3, age: 2)
            )
            let oracle = having(new, to: request, at: moment + 5)
            #expect(rules(old, to: request, at: moment + 5) == [])
            #expect(Set(rules(old, to: request, at: moment + 5, after: oracle)) == [.back])
            let newAfterOld = having(old, to: request, at: moment + 5)
            #expect(rules(new, to: request, at: moment + 5, after: newAfterOld) == [])
            var other = request
            other.storefront = "gb"
            #expect(
                !rules(Self.reply(world, other, at: moment), to: other, at: moment + 5, after: oracle).contains(.back))
        }
    }

    @Test func aListThatGoesBackIsFound() throws {
        let request = HuntRequest(.list(.artists, id: "1", .albums))
        let list = HuntList(HuntName(.artists, 1), .albums)
        func page(_ moment: Int) -> [HuntName]? { world.page(of: list, request, at: moment)?.names }
        let moment = try #require(
            (200..<600).first { page($0) != nil && page($0 + 1) != nil && page($0) != page($0 + 1) })
        let oracle = having(Self.reply(world, request, at: moment + 1, age: 1), to: request, at: moment + 2)
        let old = Self.reply(world, request, at: moment, age: 2)
        #expect(rules(old, to: request, at: moment + 2) == [])
        #expect(rules(old, to: request, at: moment + 2, after: oracle).contains(.back))
    }

    @Test func twoRevisionsInOneAnswerAreFound() throws {
        let (name, moment) = try change(.artists)
        let ids = (1...HuntType.albums.count).filter { album in
            world.places(of: HuntList(HuntName(.albums, album), .artists), at: moment).contains(name)
        }
        try #require(ids.count > 1)
        var request = HuntRequest(.batch(.albums, ids: ids.prefix(2).map(String.init)))
        request.includes = ["": [.artists]]
        let (old, new) = (world.answer(to: request, at: moment), world.answer(to: request, at: moment + 1))
        let elements = [old.document, new.document].map { $0["data"]?.elements ?? [] }
        try #require(elements.allSatisfy { $0.count == 2 })
        let mixed = JSONNode(.object([("data", JSONNode(.array([elements[0][0], elements[1][1]])))]))
        #expect(rules(Self.reply(mixed, age: 3), to: request, at: moment + 3).contains(.mixed))
        #expect(rules(Self.reply(new.document, age: 3), to: request, at: moment + 3) == [])
    }

    @Test func aMissingResourceThatWasNeverAwayIsFound() throws {
        let request = HuntRequest(.batch(.genres, ids: ["1", "2"]))
        let lacking = world.answer(to: HuntRequest(.batch(.genres, ids: ["2"])), at: 300).document
        #expect(rules(Self.reply(lacking), to: request, at: 300) == [.absence])
        #expect(rules(Self.reply(HuntWorld.notFound, 404), to: item(HuntName(.genres, 1)), at: 300) == [.status])
        let more = world.answer(to: HuntRequest(.batch(.genres, ids: ["2", "1"])), at: 300).document
        #expect(rules(Self.reply(more), to: request, at: 300).contains(.form), "another order")
    }

    /// An absence may be as old as a 404 in a composed answer, and in no other.
    @Test func anAbsenceThatIsTooOldIsFound() throws {
        let (name, moment) = try change(.albums, goesAway: true)
        let request = HuntRequest(.batch(.albums, ids: ["\(name.id)"]))
        let lacking = JSONNode(.object([("data", JSONNode(.array([])))]))
        let back = try #require((moment + 1...moment + 60).first { world.has(name, in: "us", at: $0) })
        func rules(_ now: Int, _ cacheStatus: String) -> [HuntFault.Rule] {
            self.rules(Self.reply(lacking, age: 0, cacheStatus), to: request, at: now)
        }
        #expect(rules(back - 1, "hit") == [] && rules(back, "hit") == [.absence])
        // It is here for eight seconds at least, as long as a 404 is fresh.
        let end = back + world.traits.notFound - 1
        #expect(rules(end - 1, "hit; detail=split") == [] && rules(end, "hit; detail=split") == [.absence])
    }

    @Test func anotherFormIsFound() throws {
        var request = item(HuntName(.artists, 3), [.albums])
        request.views = [.topSongs]
        let moment = try #require((300..<400).first { world.status(of: request, at: $0) == 200 })
        let document = world.answer(to: request, at: moment).document.written
        let plants = [
            #""rev":"#: #""revision":"#, #""genreNames":["genre 3"]"#: #""genreNames":[]"#,
            #","genreNames":["genre 3"]"#: "",
            #""relationships":{"albums""#: #""relationships":{"artists""#, "view/top-songs\"": "view/songs\"",
            #"/albums","data""#: #"/albums","next":"/v1/catalog/us/artists/3/albums?offset=25","data""#,
        ]
        for (found, planted) in plants {
            let other = document.replacingOccurrences(of: found, with: planted)
            try #require(other != document, "\(found)")
            let reply = Self.reply(try JSONNode.parse(Array(other.utf8)))
            let broken = rules(reply, to: request, at: moment)
            #expect(broken.contains(.form) || broken.contains(.state), "\(planted): \(broken)")
        }
    }

    @Test func whatAPurgeChoseIsFound() throws {
        let (name, moment) = try change(.albums)
        let (request, now) = (item(name), moment + 3)
        let scopes: [(HuntPurge.Scope, Bool)] = [
            (.everything, true), (.storefront("us"), true), (.storefront("gb"), false), (.target(request), true),
            (.resource(name), true), (.resource(HuntName(.songs, 179)), false),
        ]
        for isHard in [true, false] {
            for (scope, isChosen) in scopes {
                var oracle = HuntOracle(world)
                oracle.note(HuntPurge(scope: scope, isHard: isHard, moment: moment + 1))
                for cacheStatus in ["hit", "hit; detail=stale-while-revalidate"] {
                    let old = Self.reply(world, request, at: moment, age: 3, cacheStatus)
                    let isWrong = isChosen && (isHard || cacheStatus == "hit")
                    #expect(
                        rules(old, to: request, at: now, after: oracle).isEmpty != isWrong, "\(scope) \(cacheStatus)")
                }
                let new = Self.reply(world, request, at: moment + 1, age: 2)
                #expect(rules(new, to: request, at: now, after: oracle) == [])
            }
        }
    }

    @Test func aComposedAnswerOlderThanTheNewestIsFound() throws {
        let (name, moment) = try change(.albums)
        var oracle = HuntOracle(world)
        oracle.noteOrigin(HuntRequest(.batch(.albums, ids: ["\(name.id)"])), at: moment + 1)
        func rules(_ cacheStatus: String, at other: Int) -> [HuntFault.Rule] {
            let reply = Self.reply(world, item(name), at: other, age: 4, cacheStatus)
            return self.rules(reply, to: item(name), at: moment + 4, after: oracle)
        }
        #expect(rules("hit; detail=reduced", at: moment) == [.older])
        #expect(rules("hit; detail=reduced", at: moment + 1) == [] && rules("hit", at: moment) == [])
    }

    /// An absence ends with any later answer that names the resource, even in another language.
    @Test func aBatchWithoutAResourceThatWasNamedSinceIsFound() throws {
        let (name, moment) = try change(.albums, goesAway: true)
        let back = try #require((moment + 1...moment + 60).first { world.has(name, in: "us", at: $0) })
        let request = HuntRequest(.batch(.albums, ids: ["\(name.id)"]))
        var seen = item(name)
        seen.language = "es-MX"
        let lacking = Self.reply(JSONNode(.object([("data", JSONNode(.array([])))])), age: 0, "hit; detail=split")
        var oracle = HuntOracle(world)
        #expect(rules(lacking, to: request, at: back, after: oracle) == [])
        oracle.noteOrigin(seen, at: back)
        #expect(rules(lacking, to: request, at: back, after: oracle) == [.older])
        oracle.noteLoss()
        #expect(rules(lacking, to: request, at: back, after: oracle) == [], "the answer may be gone")
    }

    @Test func answersThatDisagreeAreFound() throws {
        let request = item(HuntName(.genres, 1))
        let full = Self.reply(world, request, at: 300)
        let tag = try #require(full.tag)
        let oracle = having(full, to: request, at: 300)
        func rules(_ status: Int, _ manner: HuntManner, _ change: (inout HuntReply) -> Void) -> [HuntFault.Rule] {
            var reply = HuntReply(status: status)
            (reply.tag, reply.cacheStatus) = (tag, "refrain; hit")
            change(&reply)
            return self.rules(reply, to: request, manner, at: 300, after: oracle)
        }
        let (count, part) = (full.body.count, Data(full.body[3...9]))
        #expect(rules(200, .head) { $0.contentLength = count } == [])
        #expect(rules(200, .head) { $0.contentLength = count + 1 } == [.agreement])
        #expect(rules(200, .get) { $0.body = full.body + [32] } == [.agreement])
        #expect(rules(200, .condition(tag)) { $0.body = full.body } == [.agreement])
        #expect(rules(304, .condition(tag)) { _ in } == [])
        #expect(rules(304, .condition("\"other\"")) { $0.tag = nil } == [.agreement])
        #expect(rules(304, .get) { _ in } == [.status])
        for (range, body, isRight) in [
            ("bytes 3-9/\(count)", part, true), ("bytes 3-9/\(count + 1)", part, false),
            ("bytes 3-9/\(count)", part.dropFirst(), false), ("bytes 0-9/\(count)", part, false),
        ] {
            let found = rules(206, .range(3, 9)) { ($0.contentRange, $0.body) = (range, Data(body)) }
            #expect(found == (isRight ? [] : [.agreement]), "\(range)")
        }
        #expect(rules(416, .range(3, 9)) { _ in } == [.agreement])
    }

    @Test func onlyAFailingOriginExcusesAnError() {
        let request = item(HuntName(.genres, 1))
        var empty = HuntReply(status: 200)
        empty.cacheStatus = "refrain; fwd=uri-miss"
        #expect(rules(HuntReply(status: 503), to: request, at: 300) == [.status])
        #expect(rules(HuntReply(status: 503), to: request, at: 300, whileFailing: .close) == [])
        #expect(rules(empty, to: request, at: 300, whileFailing: .empty) == [])
        #expect(rules(empty, to: request, at: 300, whileFailing: .incomplete).contains(.form))
        var stored = empty
        stored.cacheStatus = "refrain; hit"
        #expect(rules(stored, to: request, at: 300, whileFailing: .empty).contains(.form))
    }
}
