import AppleMusic
import Testing

@testable import Compose

@Suite struct CatalogRequestListsTests {
    private func request(_ target: String) throws -> CatalogRequest {
        try #require(CatalogRequest(try CanonicalTarget("/v1/catalog/" + target)))
    }

    @Test func windowsOfOneListHaveOneNumberAndOtherListsHaveOthers() throws {
        let windows = ["", "?limit=5", "?offset=5", "?limit=5&offset=10"].map { "albums/1/tracks" + $0 }
        let lists = [
            "albums/2/tracks", "albums/1/artists", "albums/1/view/tracks", "playlists/1/tracks", "albums/1/tracks?l=fr",
            "albums/1/tracks?include=a", "albums/1/tracks?include=a,b", "albums/1/tracks?include=ab",
            "albums/1/tracks?extend=a", "albums/1/tracks?include=fr", "albums/1/tracks?x=1",
        ]
        let number = try windows.map { try #require(request("us/" + $0).listNumber) }
        #expect(Set(number).count == 1)
        let others = try lists.map { try #require(request("us/" + $0).listNumber) }
        let elsewhere = try #require(request("gb/albums/1/tracks").listNumber)
        #expect(Set(number + others + [elsewhere]).count == others.count + 2)
        #expect(try request("us/albums/1").listNumber == nil && request("us/charts?types=songs").listNumber == nil)
    }

    @Test func aRelationshipBeginsTheListOfItsPath() throws {
        let album = try request("us/albums/1?include=artists")
        let number = album.listNumber(
            ofParent: album.resources[0].number, name: ResourceDocument.nameNumber(Array("tracks".utf8).span))
        #expect(try request("us/albums/1/tracks?limit=3").listNumber == number)
        #expect(try request("us/albums/1/view/tracks").listNumber != number)
    }
}
