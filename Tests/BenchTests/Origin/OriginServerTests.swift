import Testing
import Text

@testable import Bench

/// Answers of the benchmarks' origin other than single songs.
@Suite struct OriginServerTests {
    private func get(_ target: String) throws -> (status: Int, body: [UInt8]) {
        let port = try Ports.free()
        let origin = try OriginServer(port: UInt16(port))
        return try withExtendedLifetime(origin) { try TraceClient(port: port).get(target) }
    }

    @Test func aListHasTheSongsAsTheyAreOneByOne() throws {
        let songs = NumberedSongs(bytes: 1000, storefront: NumberedSongs.withLists)
        let list = try JSON.parse(try get(songs.target([3, 1])).body)["data"]?.arrayValue
        let singles = try [3, 1].map { number in
            let answer = try get(songs.target(number))
            #expect(answer.body.count == 1000)
            return try #require(try JSON.parse(answer.body)["data"]?.arrayValue?.first)
        }
        #expect(list == singles)
        #expect(list?.first?["href"]?.stringValue == songs.target(3))
    }

    @Test func oneStorefrontHasNoLists() throws {
        let target = NumberedSongs(bytes: 1000).target([3, 1])
            .replacing(NumberedSongs.withLists, with: NumberedSongs.single)
        #expect(try get(target).status == 404)
        #expect(try get("/v1/catalog/jp/songs?ids=").status == 404)
    }

    @Test func whatIsPassedThroughHasTheSizeThatItsTargetNames() throws {
        let answer = try get(PassedBody.target(bytes: 100_000))
        #expect(answer.status == 200)
        #expect(answer.body.count == 100_000)
        #expect(try get(PassedBody.path + "x").status == 404)
    }
}
