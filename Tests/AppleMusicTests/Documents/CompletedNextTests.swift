import TestSupport
import Testing

@testable import AppleMusic

private func completed(_ next: String, _ target: String) throws -> String? {
    CompletedNext(Array(next.utf8).span, of: try CanonicalTarget(target)).map {
        String(decoding: $0.link, as: UTF8.self)
    }
}

@Suite struct CompletedNextTests {
    private static let albums = "/v1/catalog/us/artists/1/albums"

    @Test func droppedParametersComeBackInAlphabeticalOrder() throws {
        let target = Self.albums + "?limit=50&include=tracks,artists&offset=50&extend=b,a&z=1"
        #expect(
            try completed(Self.albums + "?offset=100", target) == Self.albums
                + "?extend=a,b&include=artists,tracks&limit=50&offset=100&z=1")
        let songs = "/v1/me/library/songs"
        #expect(try completed(songs + "?offset=100", songs + "?limit=100") == songs + "?limit=100&offset=100")
        #expect(
            try completed("/v1/storefronts?offset=2", "/v1/storefronts?limit=2") == "/v1/storefronts?limit=2&offset=2")
    }

    @Test func theOriginsOwnParametersStayAsWritten() throws {
        let target = Self.albums + "?limit=50&l=fr-FR&sort=-name&art[url]=f&include=artists"
        let next = Self.albums + "?sort=%2Dname&l=fr&art%5burl%5d=f&limit=25&offset=100"
        let expected = Self.albums + "?art%5burl%5d=f&include=artists&l=fr&limit=25&offset=100&sort=%2Dname"
        #expect(try completed(next, target) == expected)
        #expect(
            try completed(Self.albums + "?b=2&offset=9&b=1", target + "&a&a=&b=0") == Self.albums
                + "?a&a=&art[url]=f&b=2&b=1&include=artists&l=fr-FR&limit=50&offset=9&sort=-name")
    }

    @Test func parametersOfResourcesAndOffsetsAreNotPutIn() throws {
        let target = Self.albums + "?ids=1&ids[songs]=2&term=a&types=songs&offset=3"
        #expect(try completed(Self.albums + "?offset=6", target) == nil)
        #expect(try completed(Self.albums, target) == nil)
        #expect(try completed(Self.albums, Self.albums + "?offset=1&limit=5") == Self.albums + "?limit=5")
    }

    @Test(arguments: [
        "/v1/catalog/us/artists/2/albums?offset=5", "/v1/catalog/us/artists/1?offset=5", #"\/v1\/catalog?offset=5"#, "",
        "https://api.music.apple.com/v1/catalog/us/artists/1/albums?offset=5", "/v1/catalog/us/artists/1/albums?a=é",
        #"/v1/catalog/us/artists/1/albums?offset=5\u0026x=y"#, "/v1/catalog/us/artists/1/albums?offset=5&a=%",
        "/v1/catalog/us/artists/1/albums?offset=5#a", "/v1/catalog/us/artists/1/albums?offset=5&limit=9",
    ])
    func otherLinksAreLeftAlone(next: String) throws {
        #expect(try completed(next, Self.albums + "?limit=5") == nil)
    }

    @Test func aDocumentHasItsOwnLinkCompletedAndNothingElse() throws {
        let target = try CanonicalTarget(Self.albums + "?limit=5&q=%22%5C")
        let link = Self.albums + "?offset=5"
        let rest = #""data":[{"id":"1","type":"a","next":"\#(link)"}]}"#
        let expected = #"{"next" : "\#(Self.albums)?limit=5&offset=5&q=%22%5C",\#(rest)"#
        #expect(completing(#"{"next" : "\#(link)",\#(rest)"#, target) == expected)
        for body in [#"{"next":"\#(link)","results":{}}"#, "{\(rest)", #"{"next":"",\#(rest)"#] {
            #expect(completing(body, target) == nil, "\(body)")
        }
        let other = try CanonicalTarget("/v1/catalog/us/artists/2/albums?limit=5")
        #expect(completing(#"{"next" : "\#(link)",\#(rest)"#, other) == nil)
    }

    private func completing(_ body: String, _ target: CanonicalTarget) -> String? {
        let bytes = Array(body.utf8)
        return DocumentScan(bytes).document.flatMap { document in
            CompletedNext.completing(bytes.span, document: document, target: target)
        }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Followed link by link, every request has the parameters of the first one, and the offset is
    /// the origin's.
    @Test(arguments: 1...TestSize.of(5, release: 20) as ClosedRange<UInt64>)
    func aClientThatFollowsCompletedLinksKeepsAskingForTheSame(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let optional = ["limit=5", "include=b,a", "l=fr", "extend=x", "limit[tracks]=3", "q=%22%5C%26", "aa", "zz=1"]
        var count = 0
        for _ in 0..<100 {
            let own = optional.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
            var target = try CanonicalTarget(Self.albums + "?" + own.joined(separator: "&"))
            let first = target.text.split(separator: /[?&]/).dropFirst()
            for page in 1...3 {
                // The origin keeps some, in any order.
                let kept = first.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map(String.init)
                let parameters = (kept + ["offset=\(page * 7)"]).shuffled(using: &random)
                let next = Self.albums + "?" + parameters.joined(separator: "&")
                let link = try completed(next, target.text) ?? next
                target = try CanonicalTarget(link)
                let all = (first.map(String.init) + ["offset=\(page * 7)"]).sorted()
                let note = Comment(rawValue: "seed \(seed): \(next)")
                #expect(target.text.split(separator: /[?&]/).dropFirst().map(String.init).sorted() == all, note)
                #expect(!link.contains("\"") && !link.contains("\\"), note)
                if link != next {
                    #expect(link == target.text, note)
                    count += 1
                }
            }
        }
        #expect(count > 50)
    }
}
