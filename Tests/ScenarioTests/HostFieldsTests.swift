import Foundation
import Freshness
import Proxy
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import HTTP

/// Fields about the origin's own host, and its address, reach no client: browsers would keep them
/// for the proxy's host, and clients would leave the proxy.
@Suite(.timeLimit(.minutes(10))) struct HostFieldsTests {
    /// An answer for each outcome, with such fields and references in random spellings.
    private struct Answer {
        let lines: String
        let origin: Int

        init(_ origin: Int, using random: inout SeededGenerator) {
            let host = HostFields.spelling(
                ["127.0.0.1", "127.0.0.1."].randomElement(using: &random)!, using: &random)
            let scheme = ["//", HostFields.spelling("http://", using: &random)].randomElement(using: &random)!
            let site = "\(scheme)\(host):\(origin)"
            self.origin = origin
            lines =
                HostFields.lines(using: &random) + "X-Apple: kept\r\n"
                + "Location: \(site)/v1/catalog/gb/albums/1\r\nContent-Location: \(site)/here?a=b\r\n"
                + "Link: <\(site)/next>; rel=next\r\nRefresh: 9; url=\(site)/again\r\n"
        }

        private static let statuses = ["moved": "301 Moved", "absent": "404 Not Found", "broken": "500 Error"]

        /// For a request, by words in its target.
        func bytes(_ request: String) -> [UInt8] {
            let target = request.split(separator: " ")[1]
            let age = target.contains("stale") ? "max-age=0, stale-while-revalidate=600" : "max-age=600"
            let isConditional = request.lowercased().contains("\r\nif-none-match: \"tag\"")
            let written = request.hasPrefix("POST") ? "201 Created" : "200 OK"
            let named = Self.statuses.first { target.contains($0.key) }?.value
            let status = isConditional ? "304 Not Modified" : named ?? written
            let size = target.contains("large") ? 300_000 : 30
            let body = request.hasPrefix("HEAD") || isConditional ? "" : String(repeating: "x", count: size)
            let early = target.contains("early") ? "HTTP/1.1 103 Early Hints\r\n\(lines)\r\n" : ""
            let head = "HTTP/1.1 \(status)\r\nCache-Control: \(age)\r\nETag: \"tag\"\r\n\(lines)"
            guard target.contains("trailers"), !body.isEmpty else {
                let length = isConditional ? "" : "Content-Length: \(size)\r\n"
                return Array("\(early)\(head)\(length)\r\n\(body)".utf8)
            }
            return Array("\(early)\(head)Transfer-Encoding: chunked\r\n\r\n1e\r\n\(body)\r\n0\r\n\(lines)\r\n".utf8)
        }
    }

    private static let words = ["", "stale", "moved", "absent", "broken", "large", "early", "trailers"]
    private static let roots = ["/v1/catalog/us/songs/", "/v1/me/library/", "/elsewhere/"]
    private static let asking = [
        "", "If-None-Match: \"tag\"\r\n", "Range: bytes=0-4\r\n", "Cache-Control: no-cache\r\n",
    ]

    @Test(arguments: [Policy(), Policy(.songs, .upstream)]) func noneReachesAClient(policy: Policy) throws {
        let seed = UInt64.random(in: .min ... .max)
        let random = Mutex(SeededGenerator(seed: seed))
        let port = Mutex(0)
        let origin = try ScriptedOrigin([
            .serve { request in
                random.withLock { random in Answer(port.withLock { $0 }, using: &random).bytes(request) }
            }
        ])
        port.withLock { $0 = Int(origin.port) }
        let proxy = try ProxyUnderTest(scripted: origin, policy: policy)
        var client = SeededGenerator(seed: seed &+ 1)
        for _ in 0..<TestSize.of(150, release: 3_000) {
            let root = Self.roots.randomElement(using: &client)!
            let target = root + Self.words.randomElement(using: &client)! + "\(Int.random(in: 0..<3, using: &client))"
            let method = ["GET", "GET", "GET", "HEAD", "POST"].randomElement(using: &client)!
            let user = root.contains("/me/") ? "Music-User-Token: a\r\n" : ""
            let asking = Self.asking.randomElement(using: &client)!
            let length = method == "POST" ? "Content-Length: 0\r\n" : ""
            let request =
                "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(user)\(asking)\(length)Connection: close\r\n\r\n"
            let text = try proxy.connection(sending: request).readText()
            let about = "\(request), seed \(seed): \(text.prefix(2_000))"
            #expect(text.hasPrefix("HTTP/1.1 "), "\(about)")
            #expect(!text.contains("canary") && !text.contains("127.0.0.1"), "\(about)")
            if text.contains("X-Apple: kept") {
                let isWhole = text.contains("\r\nLocation: /v1/catalog/gb/albums/1\r\n")
                #expect(isWhole && text.contains("\r\nLink: </next>; rel=next\r\n"), "\(about)")
                #expect(text.contains("\r\nRefresh: 9; url=/again\r\n"), "\(about)")
            }
        }
        #expect(proxy.statistics[.hits] > 0, "seed \(seed)")
        for entry in Self.words.flatMap({ word in (0..<3).map { "/v1/catalog/us/songs/\(word)\($0)" } }) {
            let key = CacheKey(of: .none, scope: .shared, target: Array(entry.utf8))
            guard let stored = proxy.cache.memory.peek(key) else { continue }
            #expect(!String(decoding: stored.head, as: UTF8.self).contains("canary"), "seed \(seed)")
        }
    }

    /// Files and nodes of older versions have both.
    @Test func noneReachesAClientFromWhatAnOlderVersionStored() throws {
        let (folder, target) = (try TemporaryFolder(), "/v1/catalog/us/songs/1")
        let now = Int64(Date().timeIntervalSince1970)
        let origin = try FakeOrigin(.init(status: 500))
        let site = SiteAddress(isTLS: false, host: "127.0.0.1", port: UInt16(origin.port))
        let lines =
            "Strict-Transport-Security: max-age=9\r\nX-Apple: kept\r\nAlt-Svc: h3=\":443\"\r\nETag: \"a\"\r\n"
            + "Content-Location: http://127.0.0.1:\(origin.port)/here\r\nNEL: {}\r\n"
        do {
            let file = FileTier.open(path: folder.file("cache"), maxBytes: 1 << 20) { Issue.record("\($0)") }
            file.store(
                StoredResponse(
                    restoring: CacheKey(of: .none, scope: .shared, target: Array(target.utf8)), status: 200,
                    fields: Array(lines.utf8), content: .plain(Array("{}".utf8)), receivedAt: now,
                    lifetime: Lifetime(freshFor: 600), classTag: 0, storefront: []))
            file.records.close()
        }
        let file = FileTier.open(path: folder.file("cache"), maxBytes: 1 << 20, site: site) { Issue.record("\($0)") }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: file)
        let proxy = try ProxyUnderTest(before: origin, cache: cache)
        for fields in [[], [("If-None-Match", "\"a\"")], [("Range", "bytes=0-0")]] {
            let reply = try proxy.client.send("GET", target, fields: fields)
            #expect(reply.isHit)
            let names = Set(reply.fields.map { $0.0.lowercased() })
            #expect(names.isDisjoint(with: HostFields.names), "\(names)")
            #expect(reply.field("Content-Location") == "/here")
            #expect((reply.field("X-Apple") == "kept") == (reply.status != 304))
        }
        proxy.stop()
        file.records.close()
    }
}
