import AppleMusic
import Foundation
import TestSupport
import Testing
import Text

@testable import Admin
@testable import Cache

@Suite(.timeLimit(.minutes(10))) struct EntriesTests {
    private func targets(_ admin: AdminUnderTest, _ query: String = "") throws -> [String] {
        let entries = try #require(try admin.object("/entries" + query)?["entries"] as? [[String: Any]])
        return entries.compactMap { $0["target"] as? String }
    }

    private func filled(_ store: FileTier? = nil) throws -> AdminUnderTest {
        let admin = try AdminUnderTest(store: store)
        admin.cache.keep("/v1/catalog/us/songs/1", fields: "Content-Encoding: gzip\r\n", age: 150)
        admin.cache.keep("/v1/catalog/us/songs/2", age: 10)
        admin.cache.keep("/v1/catalog/gb/albums/1", age: 5, resourceClass: .albums, storefront: "gb")
        return admin
    }

    private static func withFile(_ body: (FileTier) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let store = FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 16 << 20) { _ in }
        defer { store.records.close() }
        try body(store)
    }

    @Test func allThatIsKnownOfAnEntryIsThere() throws {
        try Self.withFile { store in
            for admin in [try filled(), try filled(store)] {
                let listing = try #require(try admin.object("/entries?url=/v1/catalog/us/songs/1"))
                #expect(listing["truncated"] as? Bool == false)
                let entry = try #require((listing["entries"] as? [[String: Any]])?.first)
                #expect(entry["class"] as? String == "songs" && entry["storefront"] as? String == "us")
                #expect(entry["status"] as? Int == 200 && entry["variant"] as? String == "")
                let age = try #require(entry["age"] as? Int)
                #expect((150...190).contains(age) && entry["ttl"] as? Int == 100 - age)
                #expect(entry["freshness"] as? String == "stale" && entry["coding"] is NSNull)
                let received = try #require(entry["received"] as? Int)
                let date = try #require(entry["received_at"] as? String)
                #expect(ISO8601DateFormatter().date(from: date)?.timeIntervalSince1970 == TimeInterval(received))
                #expect((entry["bytes"] as? Int ?? 0) > 24)
                let isFile = admin.cache.file != nil
                #expect(entry["tiers"] as? [String] == (isFile ? ["memory", "file"] : ["memory"]))
                #expect((entry["last_used"] is Int) == isFile)
            }
        }
    }

    @Test func selectorsNarrowTheListing() throws {
        try Self.withFile { store in
            for admin in [try filled(), try filled(store)] {
                #expect(Set(try targets(admin)).count == 3)
                #expect(try targets(admin, "?prefix=/v1/catalog/us/").count == 2)
                #expect(try targets(admin, "?storefront=gb") == ["/v1/catalog/gb/albums/1"])
                #expect(try targets(admin, "?class=albums") == ["/v1/catalog/gb/albums/1"])
                #expect(try targets(admin, "?class=songs&storefront=gb").isEmpty)
                #expect(try targets(admin, "?limit=2").count == 2)
                #expect(try admin.object("/entries?limit=2")?["truncated"] as? Bool == true)
                #expect(try admin.object("/entries?limit=3")?["truncated"] as? Bool == false)
            }
        }
    }

    @Test func aListingHasTheOrderThatIsAskedFor() throws {
        let (first, second, album) = ("/v1/catalog/us/songs/1", "/v1/catalog/us/songs/2", "/v1/catalog/gb/albums/1")
        #expect(try targets(filled()).first == album, "without a file the newest come first")
        try Self.withFile { store in
            for admin in [try filled(), try filled(store)] {
                // The first has a field more, the path of the album is longer by a letter.
                #expect(try targets(admin, "?sort=size") == [first, album, second])
                #expect(try targets(admin, "?sort=age") == [first, second, album])
                #expect(try targets(admin, "?sort=age&storefront=us&limit=1") == [first])
                #expect(try admin.object("/entries?sort=age&limit=2")?["truncated"] as? Bool == true)
            }
        }
    }

    @Test func answersThatOnlyTheFileHasSaySo() throws {
        try Self.withFile { store in
            let admin = try filled(store)
            admin.cache.flush()
            admin.cache.memory.remove(CacheKey(of: .none, scope: .shared, target: Array("/v1/catalog/us/songs/2".utf8)))
            let listing = try admin.object("/entries?url=/v1/catalog/us/songs/2")
            #expect((listing?["entries"] as? [[String: Any]])?.first?["tiers"] as? [String] == ["file"])
            #expect(admin.cache.memory.count == 2, "a look promotes nothing")
            #expect(try admin.object("/entry?url=/v1/catalog/us/songs/2") != nil)
            #expect(admin.cache.memory.count == 2, "nor does this one")
        }
    }

    @Test func personalAnswersAreCountedAndNotShown() throws {
        let admin = try keepingOneUsers()
        let reply = try admin.client.send("GET", "/entries?limit=10000")
        #expect(try admin.object("/entries")?["personal"] as? Int == 2)
        let text = reply.text
        #expect(!text.contains("/v1/me") && !text.contains("user:"))
        #expect(try admin.status("GET", "/entry?url=/v1/me/library/songs%3Fl%3Dcanary") == 404)
    }

    /// A proxy that keeps two answers of one user.
    private func keepingOneUsers(_ store: FileTier? = nil) throws -> AdminUnderTest {
        let admin = try filled(store)
        let hash = UserHashKey()?.hash(token: Array("user-anna-token".utf8).span)
        let scope = CacheKey.Scope.personal(try #require(hash))
        admin.cache.keep("/v1/me/library/songs?l=canary", scope: scope, age: 40, resourceClass: .personal)
        admin.cache.keep("/v1/me/library/playlists/p.canary", scope: scope, age: 120, resourceClass: .personal)
        return admin
    }

    @Test func personalAnswersShowRouteSizeAndAge() throws {
        try Self.withFile { store in
            for admin in [try keepingOneUsers(), try keepingOneUsers(store)] {
                let listing = try #require(try admin.object("/entries?class=personal&sort=age"))
                let entries = try #require(listing["entries"] as? [[String: Any]])
                let routes = ["/v1/me/library/{type}/{id}", "/v1/me/library/{type}"]
                #expect(entries.compactMap { $0["target"] as? String } == routes)
                #expect(entries.map { $0["freshness"] as? String } == ["stale", "fresh"])
                for entry in entries {
                    #expect(entry["class"] as? String == "personal" && entry["tiers"] as? [String] == ["memory"])
                    #expect((entry["bytes"] as? Int ?? 0) > 24 && entry["storefront"] is NSNull)
                }
                let text = "\(listing)"
                #expect(!text.contains("canary") && !text.contains("user"), "\(text)")
            }
        }
    }

    /// Guessing at targets must not reveal whether they are stored.
    @Test func selectorsFindNoMoreOfOneUserThanIsShown() throws {
        let admin = try keepingOneUsers()
        #expect(try targets(admin, "?class=personal&prefix=/v1/me/library/").count == 2)
        for selector in [
            "prefix=/v1/me/library/playlists/p.", "match=/*canary", "url=/v1/me/library/songs?l=canary",
            "resource=songs:1", "storefront=us",
        ] {
            let encoded = selector.replacing("?l=", with: "%3Fl%3D")
            #expect(try targets(admin, "?class=personal&" + encoded).isEmpty, "\(selector)")
        }
    }

    @Test func entriesOfARouteAreSummed() throws {
        let admin = try keepingOneUsers()
        func add(_ target: String) throws -> JSON {
            admin.cache.sums(of: try CanonicalTarget(target).route, at: Int64(Date().timeIntervalSince1970))
        }
        let kept = try add("/v1/me/library/songs")
        #expect(kept["answers"] == .integer(1) && kept["fresh"] == .integer(1) && kept["bytes"]?.intValue ?? 0 > 24)
        #expect((40...80).contains(kept["oldest_age"]?.intValue ?? 0) && kept["newest_age"] == kept["oldest_age"])
        #expect(try add("/v1/me/library/songs/i.1")["fresh"] == .integer(0))
        let none: JSON = ["answers": 0, "bytes": 0, "fresh": 0, "newest_age": .null, "oldest_age": .null]
        #expect(try add("/v1/me/library/search") == none)
    }

    @Test func whatIsNotUnderstoodIsNamed() throws {
        let admin = try AdminUnderTest()
        for (target, beginning) in [
            (
                "/entries?limt=1",
                "limt: unknown; known are prefix, match, storefront, class, resource, url, sort, limit"
            ),
            ("/entries?sort=bytes", "sort: expected one of size, age, use."),
            ("/entries?sort=", "sort: expected one of"),
            ("/entries?limit=0", "limit: expected a number from 1 to 10000."),
            ("/entries?limit=1&limit=2", "limit: given twice."),
            ("/entries?limit", "limit: expected limit=VALUE"),
            ("/entries?class=song", "class: expected one of activities, albums,"),
            ("/entries?storefront=USA", "storefront: expected two lower-case letters"),
            ("/entries?prefix=v1", "prefix: expected the beginning of a path"),
            ("/entries?prefix=%FF", "prefix: expected prefix=VALUE, percent-encoded UTF-8."),
            ("/entries?%22%3Cb%3E=1", "A parameter: unknown"),
            ("/entries?url=songs", "url: expected a URL or a path"),
            ("/entry", "url: missing."), ("/entry?url=/a&body=yes", "body: expected 1 or 0."),
            ("/entry?url=/a?b=1&c=2", "c: unknown; known are url, body; & in a URL is written %26."),
            ("/explain", "url: expected a URL"), ("/explain?url=/a%00", "url: expected a URL or a path"),
            ("/explain?url=/a&method=get", "method: expected one of GET, HEAD, POST"),
            ("/explain?url=/a&user=maybe", "user: expected 1 or 0."),
            ("/explain?url=/a&cookie=1", "cookie: unknown; known are url, method, user"),
        ] {
            let refusal = try admin.refusal(target)
            #expect(refusal?.hasPrefix(beginning) == true, "\(target): \(refusal ?? "no 400")")
        }
    }

    @Test func oneEntryIsShownWhole() throws {
        let admin = try filled()
        let entry = try #require(try admin.object("/entry?url=https://x.example/v1/catalog/us/songs/1"))
        #expect(entry["target"] as? String == "/v1/catalog/us/songs/1")
        let stored = try #require((entry["stored"] as? [[String: Any]])?.first)
        #expect(stored["body_bytes"] as? Int == 2 && stored["fresh_for"] as? Int == 100)
        let fields = try #require(stored["fields"] as? [[String: String]])
        #expect(fields.contains(["name": "Content-Encoding", "value": "gzip"]))
        let body = try admin.client.send("GET", "/entry?url=/v1/catalog/us/songs/1&body=1")
        #expect(body.body == Data("{}".utf8) && body.field("Content-Type") == "application/octet-stream")
        #expect(try admin.status("GET", "/entry?url=/v1/catalog/us/songs/3") == 404)
    }

    /// A stored cookie is a client's secret, and so is the token; neither is in any answer.
    @Test func noAnswerHoldsASecret() throws {
        let admin = try AdminUnderTest(token: "canary-token")
        admin.cache.keep("/v1/x", fields: "Set-Cookie: a=canary-cookie\r\n", resourceClass: .other, storefront: "")
        let token = ("Authorization", "Bearer canary-token")
        let queries = ["", "?url=/v1/x", "?canary=canary-value"]
        for endpoint in AdminEndpoint.table {
            for query in queries {
                // A stream of events does not end; its content is that of `/stats`.
                for method in endpoint.path == "/events" ? ["HEAD", "POST"] : ["GET", "POST"] {
                    for fields in [[token], [("Cookie", "refrain_session=canary-session")]] {
                        let reply = try admin.client.send(
                            method, endpoint.path + query, fields: fields, body: Data(#"{"canary":"canary-json"}"#.utf8)
                        )
                        let text = reply.text + "\(reply.fields)"
                        for secret in [
                            "canary-token", "canary-cookie", "canary-session", "canary-value", "canary-json",
                        ] { #expect(!text.contains(secret), "\(method) \(endpoint.path)\(query)") }
                    }
                }
            }
        }
        let shown = try admin.client.send("GET", "/entry?url=/v1/x", fields: [token])
        #expect(shown.text.contains("(not shown)"), "the cookie was there to be hidden")
    }
}
