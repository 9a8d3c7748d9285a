import TestSupport
import Testing

@testable import AppleMusic

private func route(_ target: String) throws -> Route { try CanonicalTarget(target).route }

@Suite struct RouteTests {
    @Test func aResourceItsSubResourcesAndItsViewsBelongToItsType() throws {
        for type in ResourceClass.allCases where type.isResourceType {
            let collection = "/v1/catalog/us/\(type.name)"
            let expected: [(String, String)] = [
                ("", ""), ("?ids=1,2", ""), ("/123", "/{id}"), ("/123/artists", "/{id}/{relationship}"),
                ("/123/view/top-songs", "/{id}/view/{view}"), ("/123/a/b/c", "/{id}/{relationship}"),
            ]
            for (suffix, template) in expected {
                let route = try route(collection + suffix)
                #expect(route.resourceClass == type && route.storefront == Storefront("us"))
                #expect(route.isShared && !route.isPersonal)
                #expect("\(route.template)" == "/v1/catalog/{storefront}/\(type.name)\(template)")
            }
        }
    }

    @Test(arguments: [
        ("/v1/catalog/gb/charts?types=songs", ResourceClass.charts, "/v1/catalog/{storefront}/charts"),
        ("/v1/catalog/gb/search?term=x", .search, "/v1/catalog/{storefront}/search"),
        ("/v1/catalog/gb/search/hints?term=x", .search, "/v1/catalog/{storefront}/search/hints"),
        ("/v1/catalog/gb/search/suggestions", .search, "/v1/catalog/{storefront}/search/suggestions"),
        ("/v1/catalog/gb?ids[songs]=1&ids[albums]=2", .catalog, "/v1/catalog/{storefront}"),
        ("//v1/catalog//gb/search/hints/?term=x", .search, "/v1/catalog/{storefront}/search/hints"),
        ("/v1/catalog/gb/uploaded-videos/1", .catalog, "/v1/catalog/{storefront}/..."),
        ("/v1/catalog/gb/Songs/1", .catalog, "/v1/catalog/{storefront}/..."),
        ("/v1/language/gb/tag?acceptLanguage=en", .storefronts, "/v1/language/{storefront}/tag"),
    ])
    func otherSharedPathsHaveTheirClass(target: String, expected: ResourceClass, template: String) throws {
        let route = try route(target)
        #expect(route.resourceClass == expected && route.storefront == Storefront("gb"))
        #expect(route.isShared)
        #expect("\(route.template)" == template)
    }

    @Test func storefrontsAreSharedAndHaveNoStorefrontInThePath() throws {
        #expect(try route("/v1/storefronts").resourceClass == .storefronts)
        let us = try route("/v1/storefronts/us")
        #expect("\(us.template)" == "/v1/storefronts/{id}" && us.storefront == nil)
        #expect(try route("/v1/test?include=library").resourceClass == .personal, "a marker counts on any path")
    }

    @Test(arguments: [
        "/", "/v1", "/v2/catalog/us", "/V1/catalog/us", "/v1/test", "/v1/catalog", "/v1/catalog/US/songs/1",
        "/v1/catalog/usa/songs", "/v1/catalog/u1", "/v1/catalog/u%2D", "/v1/mes", "/v1/Me", "/v1/storefronts;x",
        "/v1/catalog/us/songs/1;x", "/v1/catalog/us/songs/1/library;a=b", "/v1/catalog/us/songs/1/library%3Ba",
        "/v1/catalog;x/us", "/v1/me;x/library", "/healthz",
    ])
    func anythingElseIsOtherAndNotShared(target: String) throws {
        let route = try route(target)
        #expect(route.resourceClass == .other && !route.isShared && !route.isPersonal)
        #expect("\(route.template)" == "other")
    }

    @Test(arguments: [
        ("/v1/me", "/v1/me"), ("/v1/me/storefront", "/v1/me/storefront"), ("/%76%31/m%65", "/v1/me"),
        ("/v1/me/library?ids[library-songs]=i.1", "/v1/me/library"),
        ("/v1/me/library/songs", "/v1/me/library/{type}"),
        ("/v1/me/library/songs/i.1", "/v1/me/library/{type}/{id}"),
        ("/v1/me/library/songs/i.1/catalog", "/v1/me/library/{type}/{id}/{relationship}"),
        ("/v1/me/library/search?term=secret", "/v1/me/library/search"),
        ("/v1/me/recent/played/tracks", "/v1/me/recent/..."),
        ("/v1/me/history/heavy-rotation", "/v1/me/history/..."),
        ("/v1/me/recommendations/6-27s5hU6azhJY", "/v1/me/recommendations/..."),
        ("/v1/me/ratings/songs/1", "/v1/me/ratings/..."), ("/v1/me/music-summaries", "/v1/me/..."),
        ("/v1/me/library%3f.css", "/v1/me/..."), ("/v1/me/library;x", "/v1/me/..."),
    ])
    func theUsersOwnArePersonal(target: String, template: String) throws {
        let route = try route(target)
        #expect(route.resourceClass == .personal && route.isPersonal && !route.isShared)
        #expect("\(route.template)" == template)
    }

    @Test(arguments: [
        "/v1/catalog/us/stations?filter[identity]=personal", "/v1/catalog/us/stations?filter%5Bidentity%5D=personal",
        "/v1/catalog/us/stations?%66ilter[identity]=p%65rsonal", "/v1/catalog/us/stations?filter[identity]=x,personal",
        "/v1/catalog/us/stations?filter[identity]=&filter[identity]=personal",
        "/v1/catalog/us/songs/1?include=library", "/v1/catalog/us/songs/1?include=artists,library",
        "/v1/catalog/us/songs/1?include=artists%2Clibrary", "/v1/catalog/us/songs/1?include=artists,+library",
        "/v1/catalog/us/songs/1?include=a&include=library", "/v1/catalog/us/songs/1?relate=library",
        "/v1/catalog/us/songs/1?include[songs]=library", "/v1/catalog/us/songs/1?relate%5Balbums%5d=library",
        "/v1/catalog/us/songs/1?include[]=library", "/v1/catalog/us/songs/1?include=l%69brary",
        "/v1/catalog/us/songs/1/library", "/v1/catalog/us/songs/1/%6cibrary", "/v1/catalog/us/songs/1/view/library",
        "/v1/catalog/us/songs/1/library/x", "/v1/catalog/us/unknown/1/library",
        "/v1/catalog/us?ids[songs]=1&ids[ratings]=2", "/v1/catalog/us?ids%5Bratings%5D=2",
        "/v1/catalog/us?ids[ratings]",
        "/v1/catalog/us/songs/1;x?include=library", "//v1/catalog/us//songs/1//library/",
        "/v1/catalog/us/artists/7?fields[artists]=inFavorites", "/v1/catalog/us/artists/7?extend=inFavorites",
        "/v1/catalog/us/artists/7?fields%5Bartists%5D=name%2CinFavorites",
        "/v1/catalog/us/artists?ids=7&extend[artists]=a,+inLibrary", "/v1/catalog/us/songs/1?fields=inLibrary",
        "/v1/catalog/us/songs/1?fields[songs]=name,library", "/v1/catalog/us/songs/1?views=library",
        "/v1/catalog/us/search?term=a&with=topResults,library", "/v1/catalog/us/songs/1?relate=ratings",
        "/v1/catalog/us/search?term=a&types=songs,library-songs", "/v1/catalog/us?ids[library-songs]=i.1",
        // Stations of one user.
        "/v1/catalog/us/stations/ra.u-0a1b", "/v1/catalog/us/stations/r%61.u%2D0a1b?include=radio-show",
        "/v1/catalog/us/stations/ra.u-0a1b/tracks", "/v1/catalog/us/stations?ids=ra.1,ra.u-0a1b",
        "/v1/catalog/us/stations?ids=ra.1%2C+ra.u-0a1b", "/v1/catalog/us?ids[songs]=1&ids%5Bstations%5D=ra.u-0a1b",
    ])
    func personalMarkersInTheCatalogAreSeenInAnySpelling(target: String) throws {
        let route = try route(target)
        #expect(route.resourceClass == .personal && route.isPersonal && !route.isShared)
        if !target.contains(";") { #expect(route.storefront == Storefront("us")) }
    }

    @Test(arguments: [
        "/v1/catalog/us/songs/1?include=libraries", "/v1/catalog/us/songs/1?extend=inlibrary",
        "/v1/catalog/us/songs/1?extend=inFavorite", "/v1/catalog/us/search?term=inFavorites&kinds=library",
        "/v1/catalog/us/songs/1?fields[songs=inLibrary", "/v1/catalog/us?ids[libraries]=1",
        "/v1/catalog/us/search?term=library", "/v1/catalog/us/search?term=filter[identity]=personal",
        "/v1/catalog/us/stations?filter[identity]=featured", "/v1/catalog/us/stations?filter[featured]=personal",
        "/v1/catalog/us/songs?ids[ratings]x=1", "/v1/catalog/us/songs?ids=ratings", "/v1/catalog/us/playlists/library",
        "/v1/catalog/us/stations/ra.978194965", "/v1/catalog/us/stations?ids=ra.1,ra.u",
        "/v1/catalog/us?ids[stations]=ra.2",
        "/v1/catalog/us/search?term=ra.u-0a1b", "/v1/catalog/us/playlists/pl.u-8aAV",
        "/v1/catalog/us/songs/1?xinclude=library", "/v1/catalog/us/songs/1?include",
    ])
    func textThatResemblesAPersonalMarkerIsShared(target: String) throws {
        #expect(try route(target).isShared)
    }

    @Test func templatesButOneArePaths() {
        for shape in RouteTemplate.Shape.allCases where shape != .other {
            #expect("\(RouteTemplate(shape, .albums))".hasPrefix("/v1/"), "\(shape)")
        }
    }

    @Test(.requires(.sharedMaterial))
    func recordedRequestsHaveAClassAndKeepTheirMeaning() throws {
        for entry in try SharedMaterial.lines(of: "recordings/index.jsonl") {
            guard let path = entry["path"] as? String, path.hasPrefix("/v1/") else { continue }
            let query = (entry["query"] as? String).flatMap { $0.isEmpty ? nil : "?" + $0 } ?? ""
            let spelt = (path + query).split(separator: " ").joined(separator: "+")
            guard spelt.utf8.allSatisfy({ $0 < 0x80 }), !spelt.contains("{") else { continue }
            let target = try CanonicalTarget(spelt)
            #expect(target.route.isPersonal == path.hasPrefix("/v1/me") || query.contains("identity"), "\(spelt)")
            #expect(target.route.resourceClass != .other, "\(spelt)")
        }
    }
}

@Suite struct ResourceClassTests {
    @Test func namesAreThoseOfTtlLinesAndLeadBack() {
        for value in ResourceClass.allCases { #expect(ResourceClass(name: value.name) == value) }
        #expect(ResourceClass(name: "music-videos") == .musicVideos)
        #expect(ResourceClass(name: "Albums") == nil)
        #expect(ResourceClass(name: "") == nil)
        #expect(Set(ResourceClass.allCases.map(\.name)).count == 18)
        #expect(ResourceClass.allCases.count(where: \.isResourceType) == 12)
    }
}

@Suite struct StorefrontTests {
    @Test func aStorefrontIsTwoLowercaseLetters() {
        #expect(Storefront("us")?.text == "us")
        for text in ["", "u", "usa", "US", "u1", "é", "u-", "`a", "{a"] { #expect(Storefront(text) == nil, "\(text)") }
        #expect(Storefront("gb") != Storefront("bg"))
    }
}

@Suite struct ASCIISetTests {
    @Test func theWordsHoldTheCharactersTheDocumentationNames() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        let controls = String(String.UnicodeScalarView((0...0x20).compactMap { Unicode.Scalar(UInt32($0)) }))
        let expected: [(ASCIISet, String)] = [
            (.unreserved, letters), (.path, letters + "!$&'()*+,=:@"), (.query, letters + ",:[]"),
            (.forbidden, controls + "#\\\u{7F}"),
        ]
        for (set, members) in expected {
            for byte in UInt8.min...UInt8.max {
                let isMember = byte < 0x80 && members.unicodeScalars.contains(Unicode.Scalar(byte))
                #expect(set.contains(byte) == isMember, "byte \(byte)")
            }
        }
    }
}
