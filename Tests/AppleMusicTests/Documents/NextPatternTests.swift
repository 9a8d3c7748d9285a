import TestSupport
import Testing

@testable import AppleMusic

/// How a model origin writes its links.
private enum LinkStyle: CaseIterable {
    /// `?l=fr&offset=25`: decoration of the request is dropped (APPLE-MUSIC-API 7.4).
    case plain
    case withoutLanguage
    /// `?include=a&l=fr&limit=25&offset=50`.
    case complete
    case languageFirst, languageLast, limitFirst

    func link(_ request: CatalogRequest, offset: Int) -> String {
        let language = request.language.isEmpty ? [] : ["l=" + String(decoding: request.language, as: UTF8.self)]
        let limit = request.limit.map { ["limit=\($0)"] } ?? []
        let window = ["offset=\(offset)"]
        let include = request.shape.include.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        let decoration = String(decoding: request.shape.decoration, as: UTF8.self)
        let others = (include.isEmpty ? [] : ["include=" + include]) + (decoration.isEmpty ? [] : [decoration])
        let parameters =
            switch self {
            case .plain: language + window
            case .withoutLanguage: window
            case .complete: others.reversed() + language + limit + window
            case .languageFirst: language + others + window
            case .languageLast: limit + window + language
            case .limitFirst: limit + language + window + others
            }
        return String(decoding: request.path, as: UTF8.self) + "?" + parameters.joined(separator: "&")
    }
}

private func parsed(_ target: String) throws -> CatalogRequest {
    try #require(CatalogRequest(try CanonicalTarget(target)))
}

private func learn(_ next: String, _ target: String) throws -> NextPattern? {
    try learn(next, parsed(target))
}

private func learn(_ next: String, _ request: CatalogRequest) -> NextPattern? {
    NextPattern(learntFrom: Array(next.utf8).span, request)
}

private func linkOffset(in next: String, _ request: CatalogRequest) -> Int? {
    request.list(linkedBy: Array(next.utf8).span)?.offset
}

private func linkMatches(_ pattern: NextPattern, _ next: String, _ request: CatalogRequest) -> Bool {
    pattern.matches(Array(next.utf8).span, request)
}

@Suite struct NextPatternTests {
    private static let tracks = "/v1/catalog/us/albums/1/tracks"

    private func write(_ pattern: NextPattern?, _ offset: Int, _ target: String) throws -> String? {
        try pattern?.write(offset: offset, parsed(target)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aPatternOfOneListIsWrittenForAnother() throws {
        let path = "/v1/catalog/us/artists/462006/albums"
        let pattern = try learn(path + "?offset=25", path + "?limit=25&l=en")
        let other = "/v1/catalog/us/artists/7/albums"
        #expect(try write(pattern, 5, other + "?limit=5&l=en") == other + "?offset=5")
        let keeping = try learn(path + "?l=en&limit=25&offset=25", path + "?limit=25&l=en")
        #expect(try write(keeping, 5, other + "?limit=5&l=en") == other + "?l=en&limit=5&offset=5")
        let german = "/v1/catalog/de/artists/7/albums"
        let silent = try learn(path + "?offset=25", path + "?limit=25")
        #expect(try write(silent, 5, german + "?limit=5") == german + "?offset=5")
        // A storefront leaves a language out of links that it does not speak: of 262,288 answers
        // two had the links of another storefront.
        let french = try learn(path + "?l=en-US&offset=25", path + "?limit=25&l=en-US")
        for other in [
            path + "?limit=25&l=en-GB", path + "?limit=25", "/v1/catalog/gb/artists/1/albums?limit=25&l=en-US",
        ] { #expect(try write(french, 5, other) == nil, "\(other)") }
    }

    @Test func aPatternHoldsOnlyForRequestsOfItsKind() throws {
        let pattern = try learn(Self.tracks + "?offset=5", Self.tracks + "?limit=5")
        #expect(try write(pattern, 9, Self.tracks + "?limit=9") == Self.tracks + "?offset=9")
        let others = [
            "/v1/catalog/us/albums/1/tracks", "/v1/catalog/us/albums/1/tracks?limit=5&offset=5",
            "/v1/catalog/us/albums/1/tracks?limit=5&l=fr", "/v1/catalog/us/albums/1/tracks?limit=5&include=a",
            "/v1/catalog/us/albums/1/tracks?limit=5&x", "/v1/catalog/us/albums/1/artists?limit=5",
            "/v1/catalog/us/albums/1/view/tracks?limit=5", "/v1/catalog/us/playlists/1/tracks?limit=5",
        ]
        for other in others { #expect(try write(pattern, 9, other) == nil, "\(other)") }
    }

    @Test(arguments: [
        "", "?", "?limit=5", "?offset=", "?offset=x", "?offset=05", "?offset=5&offset=6", "?offset=%35", "?%6Fffset=5",
        "?offset=5&limit=6", "?%6Cimit=5&offset=5", "?%6C=en&offset=5", "?offset=5&l=fr", "?offset=5&include=b",
        "?include=a,b&offset=5", "?offset=5&cursor=abc",
        "?offset=5&extend=b", #"?offset=5\u0026limit=5"#, #"\/tracks?offset=5"#, "?offset=5#a", "?offset=5&filter[x]=y",
        "?offset=5&limit=+5", "?offset=5&ids=1", "/x?offset=5", "?offset=5&x=y;offset=7",
    ])
    func nothingIsLearntFromALinkWithSomethingOfItsOwn(rest: String) throws {
        #expect(try learn(Self.tracks + rest, Self.tracks + "?limit=5&l=en&include=a&extend=c") == nil)
    }

    @Test func nothingIsLearntFromALinkToAnotherList() throws {
        let next = Self.tracks + "?offset=5"
        let others = [
            "/v1/catalog/gb/albums/1/tracks", "/v1/catalog/us/albums/2/tracks", "/v1/catalog/us/albums/1/artists",
            "/v1/catalog/us/playlists/1/tracks", "/v1/catalog/us/albums/1/view/tracks", "/v1/catalog/us/albums/1",
            "/v1/catalog/us/albums?ids=1", "/v1/catalog/us/charts",
        ]
        for other in others {
            #expect(try learn(next, other) == nil, "\(other)")
            #expect(try linkOffset(in: next, parsed(other)) == nil, "\(other)")
        }
        // The path is spelt in another way.
        let misspelt = "/v1/catalog/us/albums/%31/tracks?offset=5"
        for link in ["https://api.music.apple.com" + next, "v1/x", "", "/v1//x?offset=5", misspelt] {
            #expect(try learn(link, Self.tracks) == nil, "\(link)")
        }
    }

    @Test func linksOfTheSameListMatchItsPattern() throws {
        let request = try parsed(Self.tracks + "?limit=5&l=en")
        func offset(_ rest: String) -> Int? { linkOffset(in: Self.tracks + rest, request) }
        #expect(offset("?offset=28") == 28 && offset("?l=fr&offset=0&limit=9&cursor=x") == 0)
        for rest in ["", "?offset=", "?offset=1&offset=1", "?offset=1e3", "?offset=-1", "?limit=5", "s?offset=5"] {
            #expect(offset(rest) == nil, "\(rest)")
        }
        let pattern = try #require(try learn(Self.tracks + "?offset=5", Self.tracks + "?limit=5"))
        let plain = try parsed(Self.tracks + "?limit=5")
        func matches(_ rest: String) -> Bool { linkMatches(pattern, Self.tracks + rest, plain) }
        #expect(matches("?offset=5") && matches("?offset=999"))
        let other = "/v1/catalog/us/albums/2/tracks"
        for rest in ["?limit=5&offset=5", "?offset=5&limit=5", "?offset=5&", "?offset=05", "", "?offset=5&c=1"] {
            #expect(!matches(rest) && !linkMatches(pattern, other + rest, plain), "\(rest)")
        }
        // The request may have an alias of album 2.
        #expect(linkMatches(pattern, other + "?offset=5", plain))
        for path in ["gb/albums/1/tracks", "us/songs/1/albums", "us/albums/1/view/tracks", "us/albums/1"] {
            #expect(!linkMatches(pattern, "/v1/catalog/\(path)?offset=5", plain), "\(path)")
        }
    }

    @Test func parametersOfTheFormAreKeptAsTheOriginWroteThem() throws {
        let target = "/v1/catalog/us/artists/1/albums?sort=-releaseDate&extend=b,a&art[url]=f"
        let path = "/v1/catalog/us/artists/1/albums"
        let pattern = try learn(path + "?art%5burl%5d=f&offset=25&sort=-releaseDate", target)
        let other = target.replacing("/1/", with: "/2/")
        let written = path.replacing("/1/", with: "/2/") + "?art%5burl%5d=f&offset=50&sort=-releaseDate"
        #expect(try write(pattern, 50, other) == written)
    }

    @Test(arguments: 1...TestSize.of(3, release: 10) as ClosedRange<UInt64>)
    func learntFromOnePageAPatternWritesTheNextOfAllOthers(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
        func target(_ names: [String]) -> String {
            let path = pick(["us/albums/1/tracks", "us/albums/22/tracks", "us/artists/3/view/top-songs"])
            let values = [
                "limit": pick(["5", "25", "100"]), "offset": pick(["5", "30"]),
                "l": pick(["fr", "en-GB", "zh-Hans-CN"]),
                "include": "artists,genres", "extend": "a", "with": "attributes",
            ]
            return "/v1/catalog/" + path + "?" + names.map { $0 + "=" + values[$0]! }.joined(separator: "&")
        }
        var (learnt, written, unfit) = (0, 0, 0)
        for style in LinkStyle.allCases {
            var patterns: [NextPattern.Key: NextPattern] = [:]
            for _ in 0..<200 {
                let names = ["limit", "offset", "l", "include", "extend", "with"].filter { _ in
                    Bool.random(using: &random)
                }
                let request = try parsed(target(names))
                let offset = Int.random(in: 0...400, using: &random)
                let link = style.link(request, offset: offset)
                let note = Comment(rawValue: "seed \(seed): \(link)")
                guard let pattern = patterns[NextPattern.Key(request)] else {
                    let pattern: NextPattern = try #require(learn(link, request), note)
                    patterns[pattern.key] = pattern
                    learnt += 1
                    continue
                }
                #expect(pattern.write(offset: offset, request) == Array(link.utf8), note)
                #expect(linkMatches(pattern, link, request), note)
                written += 1
                for other in LinkStyle.allCases where other.link(request, offset: offset) != link {
                    let foreign = other.link(request, offset: offset)
                    #expect(!linkMatches(pattern, foreign, request), note)
                    unfit += 1
                }
            }
        }
        #expect(learnt > 200 && written > 200 && unfit > 200, "\(learnt) \(written) \(unfit)")
    }
}
