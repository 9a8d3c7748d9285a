import Testing
import Text

@testable import Simulator

@Suite struct StorefrontTests {
    let origin = SimulatedOrigin()

    @Test func listsPagesAndBatches() throws {  // APPLE-MUSIC-API 7.3, 8.18
        #expect(try origin.get("/v1/storefronts")["data"]?.count == Market.all.count)
        #expect(try origin.get("/v1/storefronts?limit=2")["next"]?.stringValue == "/v1/storefronts?offset=2")
        #expect(try origin.get("/v1/storefronts?ids=us,ca,cn,au,hk")["data"]?.ids == ["us", "ca", "cn", "au", "hk"])
        let japan = try #require(try origin.get("/v1/storefronts/jp")["data"]?[0])
        #expect(japan["href"]?.stringValue == "/v1/storefronts/jp")
        #expect(
            japan["attributes"]?.keys == [
                "supportedLanguageTags", "defaultLanguageTag", "name", "explicitContentPolicy",
            ])
        #expect(origin.respond("/v1/storefronts/zz").status == 404)
    }

    @Test func wrongStorefrontCodeIs400() throws {  // APPLE-MUSIC-API 8.7
        #expect(try origin.error("/v1/catalog/zz/albums/1").status == 400)
    }

    @Test func languageTagThatFits() throws {  // APPLE-MUSIC-API 3.1.18
        let body = try origin.get("/v1/language/us/tag?acceptLanguage=en-US")
        #expect(try body == JSON.parse(Array(#"{"results":{"tag":"en-US"}}"#.utf8)))
        let fallback = try origin.get("/v1/language/jp/tag?acceptLanguage=sv")
        #expect(fallback["results"]?["tag"]?.stringValue == "ja")
    }

    @Test func malformedTagsAreRefused() throws {  // APPLE-MUSIC-API 4.3.9, 8.3
        for tag in ["zh-tw", "x", "english-language-tag", "en_US", "12"] {
            try origin.expectError(
                "/v1/catalog/us/genres?l=\(tag)", 400,
                ["detail": .string("Invalid language tag '\(tag)'"), "source": ["parameter": "l"]])
        }
    }

    @Test func unsupportedTagsAreIgnored() throws {  // APPLE-MUSIC-API 4.3.9
        #expect(try origin.get("/v1/catalog/us/genres?l=sv-SE") == origin.get("/v1/catalog/us/genres"))
    }

    @Test func supportedTagsChangeNamesAndMarkEveryHref() throws {  // APPLE-MUSIC-API 4.3.9, 5.2.2
        let number = try #require(
            (0..<900).first {
                origin.catalog.name(ofArtist: $0, .japanese) != origin.catalog.name(ofArtist: $0, .english)
            })
        let path = "/v1/catalog/jp/artists/\(origin.id(.artists, number))"
        let japanese = try origin.get(path + "?l=ja&include=genres")
        let english = try origin.get(path + "?l=en-US&include=genres")
        #expect(japanese["data"]?[0]?["attributes"]?["name"] != english["data"]?[0]?["attributes"]?["name"])
        for href in english.all("href") { #expect(href.stringValue?.hasSuffix("?l=en-US") == true) }
        for href in try origin.get(path).all("href") { #expect(href.stringValue?.contains("?") == false) }
    }

    @Test func genresListAndPage() throws {  // APPLE-MUSIC-API 3.1.12
        #expect(try origin.get("/v1/catalog/de/genres")["data"]?.count == Genre.all.count)
        let page = try origin.get("/v1/catalog/de/genres?limit=5&offset=5")
        #expect(page["data"]?.count == 5)
        #expect(page["next"]?.stringValue == "/v1/catalog/de/genres?offset=10")
        #expect(try origin.get("/v1/catalog/us/genres?ids=14,21")["data"]?.ids == ["14", "21"])
        #expect(try origin.get("/v1/catalog/de/genres/5")["data"]?[0]?["attributes"]?["name"]?.stringValue == "Klassik")
    }
}
