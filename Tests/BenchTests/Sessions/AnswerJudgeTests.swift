import Testing
import Text

@testable import Bench
@testable import Simulator

/// Answers made up of parts, judged by an API that has been revised ten times.
@Suite struct AnswerJudgeTests {
    private let api: SimulatedAPI
    private let judge: AnswerJudge

    init() {
        var configuration = SimulatorConfiguration()
        configuration.artists = 120
        configuration.requiresAuthorization = false
        configuration.traits.revisionShare = 100
        api = SimulatedAPI(configuration: configuration)
        for _ in 0..<10 { api.revise() }
        judge = AnswerJudge(api)
    }

    private func answer(_ target: String, at revision: Int) -> SimulatorResponse {
        api.respond(
            to: SimulatorRequest(target: Array(target.utf8), nowUnixSeconds: ObservedAPI.now),
            asOf: Revision(catalog: revision))
    }

    private func resource(_ target: String, at revision: Int) -> JSON? {
        try? JSON.parse(answer(target, at: revision).body)["data"]?[0]
    }

    private func judge(_ target: String, _ resources: [JSON]) -> Judgement {
        judge.judge(target, 200, Array("\(JSON.object(members: ["data": .array(resources)]))".utf8))
        return judge.result
    }

    private func target(_ album: Int) -> String {
        "/v1/catalog/us/albums/\(api.catalog.id(of: Resource(.albums, album)))"
    }

    /// An album that has other attributes and other lists by now.
    private func changedAlbum() throws -> (target: String, first: JSON, last: JSON) {
        for album in 0..<api.catalog.albumCount {
            let target = target(album)
            guard let first = resource(target, at: 0), let last = resource(target, at: 10) else { continue }
            let ids = [first, last].map { $0["relationships"]?["tracks"]?["data"]?.arrayValue?.count }
            if first["attributes"] != last["attributes"], ids[0] != ids[1] { return (target, first, last) }
        }
        throw BenchError("no album changed")
    }

    @Test func whatTheAPISaidAtAnyRevisionIsRight() throws {
        let target = try changedAlbum().target
        for path in [target, target + "/tracks?limit=2", "/v1/catalog/us/charts?types=albums", target + "0"] {
            for revision in 0...10 {
                let answer = answer(path, at: revision)
                judge.judge(path, answer.status, answer.body)
            }
        }
        #expect(judge.result.compared == 44)
        #expect(judge.result.different.isEmpty && judge.result.mixed.isEmpty, "\(judge.result)")
    }

    @Test func theOrderOfMembersDoesNotCount() throws {
        let (target, _, last) = try changedAlbum()
        var other = last
        other["id"] = nil
        other["id"] = last["id"]
        let verdict = judge(target, [other])
        #expect(verdict.objects > 1 && verdict.different.isEmpty && verdict.mixed.isEmpty, "\(verdict)")
    }

    @Test func attributesOfOneRevisionWithListsOfAnotherAreMixed() throws {
        let (target, first, last) = try changedAlbum()
        var mixed = last
        mixed["relationships"] = first["relationships"]
        let verdict = judge(target, [mixed])
        #expect(verdict.mixed.count == 1 && verdict.different.isEmpty, "\(verdict)")
    }

    @Test func oneResourceInTwoRevisionsIsMixed() throws {
        let (target, first, last) = try changedAlbum()
        let id = try #require(last["id"]?.stringValue)
        var verdict = judge("/v1/catalog/us/albums?ids=\(id)", [first])
        #expect(verdict.mixed.isEmpty && verdict.different.isEmpty, "\(verdict) \(target)")
        verdict = judge("/v1/catalog/us/albums?ids=\(id),\(id)", [first, last])
        #expect(verdict.mixed.contains { $0.hasPrefix("albums/\(id) is of two revisions") }, "\(verdict)")
    }

    @Test func whatWasNeverSaidIsDifferent() throws {
        let (target, _, last) = try changedAlbum()
        var renamed = last
        renamed["attributes"]?["name"] = .string("never so")
        #expect(judge(target, [renamed]).different.count == 1)
        judge.judge(target, 404, [])
        #expect(judge.result.different.count == 2)
        judge.judge(target + "/tracks", 200, Array("{\"data\":[]}".utf8))
        #expect(judge.result.different.count == 3)
        #expect(judge.result.compared == 3)
    }

    @Test func anotherResourceThanTheOneAskedForIsDifferent() throws {
        let (_, _, last) = try changedAlbum()
        let id = try #require(last["id"]?.stringValue)
        let other = try #require(
            (0..<api.catalog.albumCount).map(target).first { answer($0, at: 10).status == 200 && !$0.hasSuffix(id) })
        #expect(judge(other, [last]).different.count == 1)
        #expect(judge(other, []).different.count == 2)
    }

    @Test func aBatchLacksOnlyWhatWasOnceAway() throws {
        let (_, first, last) = try changedAlbum()
        let id = try #require(last["id"]?.stringValue)
        let gone = try #require(
            (0..<api.catalog.albumCount).first { album in
                (0...10).contains { answer(target(album), at: $0).status == 404 }
            })
        let batch = "/v1/catalog/us/albums?ids=\(id),\(api.catalog.id(of: Resource(.albums, gone)))"
        #expect(judge(batch, [first]).different.isEmpty)
        #expect(judge(batch, []).different.count == 1)
    }

    @Test func answersToComeAreNotRightYet() throws {
        let (target, _, _) = try changedAlbum()
        let past = Set((0...10).map { answer(target, at: $0).body })
        let coming = try #require(
            (11...60).lazy.map { answer(target, at: $0) }.first { $0.status == 200 && !past.contains($0.body) })
        judge.judge(target, coming.status, coming.body)
        #expect(judge.result.different.count + judge.result.mixed.count >= 1)
    }
}
