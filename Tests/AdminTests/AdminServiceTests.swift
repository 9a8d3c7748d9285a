import EventLoop
import Foundation
import Freshness
import Proxy
import Recording
import Store
import Synchronization
import TestSupport
import Testing
import Text

@testable import Admin
@testable import Cache
@testable import Compose

@Suite(.timeLimit(.minutes(10))) struct AdminServiceTests {
    @Test func healthAndReadinessAreTwoThings() throws {
        let draining = try AdminUnderTest(isServing: false)
        #expect(try draining.status("GET", "/healthz") == 200)
        #expect(try draining.status("GET", "/readyz") == 503)
        #expect(try AdminUnderTest().status("GET", "/readyz?x=1") == 200)
    }

    /// `/readyz` told of a failed reload alone.
    @Test func aFailedUpgradeIsToldWhereAFailedReloadIs() throws {
        let admin = try AdminUnderTest()
        func ready() throws -> String { try admin.client.send("GET", "/readyz").text }
        admin.reloads.noteFailedUpgrade("secret words")
        #expect(try ready() == "ready; the last upgrade failed: see the log\n")
        admin.reloads.noteFailure("secret words")
        #expect(
            try ready() == "ready; the last reload failed: see the log; the last upgrade failed: see the log\n")
        admin.reloads.noteSuccess(at: 1)
        #expect(try ready() == "ready\n")
    }

    @Test func aProxyThatLostAnswersIsReadyAndSaysSo() throws {
        let folder = try TemporaryFolder()
        func open() -> FileTier { FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 16 << 20) { _ in } }
        let first = open()
        let admin = try AdminUnderTest(store: first)
        admin.store("/1", "/2")
        admin.cache.flush()
        first.records.close()
        try folder.remove("cache.sqlite.segments")
        let second = open()
        defer { second.records.close() }
        let other = try AdminUnderTest(store: second)
        waitUntil {
            (try? other.client.send("GET", "/readyz").text) == "ready; 2 stored answers were lost: see the log\n"
        }
    }

    @Test func statisticsAreIntegersAtTheTopLevel() throws {
        let admin = try AdminUnderTest()
        let reply = try admin.client.send("GET", "/stats")
        let members = try #require(reply.json as? [String: Any])
        for name in [
            "requests", "hits", "misses", "stale", "revalidated", "composed", "collapsed", "bypassed",
            "upstream_requests", "upstream_errors", "entries", "cache_bytes", "memory_bytes", "store_written",
            "store_evicted", "store_dropped", "store_failures", "store_damaged", "store_checked", "store_lost",
            "headers_refused", "http2_requests",
        ] { #expect(members[name] is Int, "\(name)") }
        let upstream = ["upstream_rate", "upstream_in_flight", "upstream_waiting"].map { members[$0] as? Int }
        #expect(upstream == [7, 0, 0])
        // Its trouble was in the log alone.
        let recording = try #require(members["recording"] as? [String: Any])
        #expect(recording["on"] as? Bool == false && recording["problem"] is NSNull)
        let reasons = try #require(members["reasons"] as? [String: Int])
        #expect(Set(reasons.keys) == Set(Reason.allCases.map(\.text)))
        let notComposed = try #require(members["not_composed"] as? [String: [String: Int]])
        #expect(Set(notComposed.keys) == Set(Refusal.Rule.allCases.map(\.word)))
        #expect(reply.field("Cache-Control") == "no-store")
    }

    @Test func unknownPathsAndMethodsAreRefused() throws {
        let admin = try AdminUnderTest()
        let unknown = try admin.client.send("GET", "/nonsense")
        let text = unknown.text
        #expect(unknown.status == 404)
        for endpoint in AdminEndpoint.table { #expect(text.contains(endpoint.path), "\(endpoint.path)") }
        let post = try admin.client.send("POST", "/stats")
        #expect(post.status == 405 && post.field("Allow") == "GET, HEAD")
    }

    /// A page may reach a loopback listener through the browser, or by rebinding its own name.
    @Test func webPagesAreRefused() throws {
        let admin = try AdminUnderTest()
        for field in [("Origin", "http://127.0.0.1:1"), ("Sec-Fetch-Site", "cross-site")] {
            #expect(try admin.status("GET", "/stats", [field]) == 403, "\(field)")
        }
        let raw = try RawClient(port: UInt16(admin.port))
        try raw.send("GET /stats HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: raw.read(), as: UTF8.self).hasPrefix("HTTP/1.1 421 "))
    }

    @Test func everyAnswerTellsBrowsersToKeepItToThemselves() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        let token = ("Authorization", "Bearer correct-horse")
        for endpoint in AdminEndpoint.table {
            for fields in [[token], [], [token, ("Origin", "http://evil.example")]] {
                // A stream of events does not end; its head is the same for HEAD.
                for method in [endpoint.path == "/events" ? "HEAD" : "GET", "POST", "DELETE"] {
                    let reply = try admin.client.send(method, endpoint.path, fields: fields)
                    let place = "\(method) \(endpoint.path) \(reply.status)"
                    #expect(reply.field("Cache-Control") == "no-store", "\(place)")
                    #expect(reply.field("X-Content-Type-Options") == "nosniff", "\(place)")
                    #expect(reply.field("Cross-Origin-Resource-Policy") == "same-origin", "\(place)")
                    #expect(
                        reply.field("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true, "\(place)")
                    let isForm = reply.field("Content-Type")?.hasPrefix("text/html") == true
                    #expect(reply.field("Referrer-Policy") == (isForm ? "same-origin" : "no-referrer"), "\(place)")
                }
            }
        }
    }

    @Test func theHelpHasALineForEachEndpoint() throws {
        let admin = try AdminUnderTest()
        let text = try admin.client.send("GET", "/help").text
        #expect(text.split(separator: "\n").count == AdminEndpoint.table.count)
        #expect(text.contains("POST /purge  "))
    }

    @Test func aTokenIsAskedForWhereThereIsOne() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        #expect(try admin.status("GET", "/stats") == 401)
        #expect(try admin.status("GET", "/healthz") == 200)
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer wrong-horse")]) == 401)
        #expect(try admin.client.send("GET", "/stats").field("WWW-Authenticate") == "Bearer realm=\"refrain\"")
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer correct-horse")]) == 200)
        for endpoint in AdminEndpoint.table where endpoint.audience != .anyone {
            for method in endpoint.methods {
                #expect(try admin.status("\(method.text)", endpoint.path) == 401, "\(method) \(endpoint.path)")
            }
        }
    }

    @Test func aPurgeAnswersHowManyItChose() throws {
        let admin = try AdminUnderTest()
        admin.store("/v1/catalog/us/songs/1", "/v1/catalog/us/songs/2", "/v1/catalog/us/albums/1")
        let counted = try admin.purge(#"{"prefix":"/v1/catalog/us/songs/","dry_run":true}"#)
        #expect(counted.status == 200 && counted.json as? [String: Int] == ["purged": 2, "would_purge": 2])
        #expect(counted.field("Content-Type") == "application/json" && counted.field("Cache-Control") == "no-store")
        #expect(try admin.purge(#"{"url":"/v1/catalog/us/songs/1"}"#).json as? [String: Int] == ["purged": 1])
        #expect(admin.cache.memory.count == 3, "stale, not gone")
        #expect(try admin.purge(#"{"all":true,"hard":true}"#).json as? [String: Int] == ["purged": 3])
        // A dry run has changed nothing, and is not logged.
        #expect(
            admin.logged == [
                #"purged 1 entry, requested by 127.0.0.1: {"url":"/v1/catalog/us/songs/1"}"#,
                #"purged 3 entries, requested by 127.0.0.1: {"all":true,"hard":true}"#,
            ])
        #expect(admin.cache.memory.count == 0)
    }

    @Test func aPurgeOfTheFileAnswersWhenItIsDone() throws {
        let folder = try TemporaryFolder()
        let store = FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 16 << 20) { _ in }
        let admin = try AdminUnderTest(store: store)
        for number in 0..<1_000 { admin.store("/\(number)") }
        #expect(try admin.purge(#"{"all":true,"hard":true}"#).json as? [String: Int] == ["purged": 1_000])
        #expect(store.records.entries == 0)
        store.records.close()
        let refused = try admin.purge(#"{"all":true}"#)
        #expect(refused.status == 503)
        #expect(refused.error?["code"] == "50300")
    }

    @Test func aPurgeThatIsNotWaitedForIsAnsweredWithoutItsCount() throws {
        let folder = try TemporaryFolder()
        let store = FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 16 << 20) { _ in }
        for admin in [try AdminUnderTest(), try AdminUnderTest(store: store)] {
            admin.store("/v1/catalog/us/songs/1", "/v1/catalog/us/songs/2")
            let content = #"{"prefix":"/v1/catalog/us/songs/","hard":true,"wait":false}"#
            let reply = try admin.purge(content)
            #expect(reply.status == 202 && reply.json as? [String: Bool] == ["accepted": true], "\(reply.text)")
            #expect(reply.field("Content-Type") == "application/json" && reply.field("Cache-Control") == "no-store")
            // The count is in the log as soon as it is known.
            waitUntil(within: 60) { admin.logged.last == "purged 2 entries, requested by 127.0.0.1: \(content)" }
            #expect(admin.cache.memory.count == 0)
            let waits = try admin.purge(#"{"all":true,"wait":true}"#)
            #expect(waits.status == 200 && waits.json as? [String: Int] == ["purged": 0])
        }
        store.records.close()
    }

    /// A purge whose process was killed before it was counted had no line.
    @Test func aPurgeThatIsNotWaitedForHasALineBeforeItIsCounted() throws {
        let admin = try AdminUnderTest()
        let content = #"{"all":true,"wait":false}"#
        // No sweep begins meanwhile.
        let (reply, lines) = try admin.cache.dependents.withLock { _ throws in
            (try admin.purge(content), admin.logged)
        }
        #expect(reply.status == 202 && lines == ["purge accepted, requested by 127.0.0.1: \(content)"])
        waitUntil(within: 60) { admin.logged.count == 2 }
    }

    @Test func aPurgeThatIsNotDurableIsNotAccepted() throws {
        let folder = try TemporaryFolder()
        let store = FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 16 << 20) { _ in }
        let admin = try AdminUnderTest(store: store)
        store.records.close()
        #expect(try admin.purge(#"{"all":true,"wait":false}"#).status == 503)
    }

    @Test func aPurgeThatIsNotUnderstoodPurgesNothing() throws {
        let admin = try AdminUnderTest()
        admin.store("/v1/catalog/us/songs/1")
        let refused = try admin.purge(#"{"prefix":"/","dryrun":true}"#)
        #expect(refused.status == 400 && refused.error?["detail"]?.hasPrefix("dryrun: unknown") == true)
        // `?dry_run=1` was passed over, and the purge carried out.
        let query = try admin.client.send("POST", "/purge?dry_run=1", body: Data(#"{"all":true,"hard":true}"#.utf8))
        #expect(query.status == 400 && query.text.contains("no query"))
        #expect(try admin.purge(String(repeating: " ", count: AdminService.maxContentBytes)).status == 400)
        #expect(try admin.purge(String(repeating: " ", count: AdminService.maxContentBytes + 1)).status == 413)
        #expect(try admin.purge(String(repeating: " ", count: 2 << 20)).status == 413)
        #expect(admin.cache.memory.count == 1)
    }

    /// A mebibyte of each stranger was kept until the token was looked at.
    @Test(arguments: [
        ("POST /purge", "", 401), ("POST /purge", "Authorization: Bearer wrong\r\n", 401),
        ("POST /nowhere", "Authorization: Bearer correct-horse\r\n", 404),
        ("POST /stats", "Authorization: Bearer correct-horse\r\n", 405),
    ])
    func contentIsReadOnlyWhereItsHeadIsTaken(line: String, fields: String, status: Int) throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        let raw = try RawClient(port: UInt16(admin.port))
        try raw.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)Content-Length: 12\r\n\r\n")
        let answer = String(decoding: raw.read(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("\r\nConnection: close\r\n"), "\(answer)")
    }
}

@Suite(.timeLimit(.minutes(10))) struct RecordingEndpointTests {
    /// A recording whose calls have the given result.
    private final class Recorder: Sendable {
        let asked = Mutex<[Bool]>([])
        private let result: Result<RecordingStatus, RecordingError>?

        init(_ result: Result<RecordingStatus, RecordingError>?) { self.result = result }

        /// The listener of a proxy with this recording.
        func admin() throws -> AdminUnderTest {
            try AdminUnderTest(
                recording: { [result] in (try? result?.get()) ?? RecordingStatus() },
                turnRecording: { [self] isOn, completion in
                    asked.withLock { $0.append(isOn) }
                    completion(result)
                })
        }
    }

    private var status: RecordingStatus {
        var status = RecordingStatus()
        status.configured = RecordingSettings(path: "/var/traffic", sampling: 0.5, mostBytes: 1 << 20, mostFiles: 2)
        status.isOn = true
        status.since = Timestamp(microseconds: 0)
        (status.exchanges, status.bytes, status.dropped) = (7, 800, 9)
        return status
    }

    private func post(_ admin: AdminUnderTest, _ content: String, _ path: String = "/recording") throws -> Int {
        try admin.client.send("POST", path, body: Data(content.utf8)).status
    }

    @Test func theStatusIsShown() throws {
        let admin = try Recorder(.success(status)).admin()
        let body = try admin.client.send("GET", "/recording").body
        #expect(
            String(decoding: body, as: UTF8.self) == """
                {"on":true,"file":"/var/traffic","since":"1970-01-01T00:00:00.000000Z","sampling":0.5,"size":1048576,\
                "files":2,"exchanges":7,"bytes":800,"dropped":9,"problem":null}

                """)
        #expect(try AdminUnderTest().object("/recording")?["on"] as? Bool == false)
    }

    @Test func switchesOnAndOffOrSaysWhyNot() throws {
        let recorder = Recorder(.success(status))
        let admin = try recorder.admin()
        #expect(try post(admin, #"{"on":true}"#) == 200)
        #expect(try post(admin, #"{"on":false}"#) == 200)
        #expect(recorder.asked.withLock { $0 } == [true, false])
        #expect(admin.logged == ["recording switched on", "recording switched off"])
        #expect(try post(try Recorder(nil).admin(), #"{"on":true}"#) == 409)
        let failing = try Recorder(.failure(.empty(path: "a"))).admin()
        let reply = try failing.client.send("POST", "/recording", body: Data(#"{"on":true}"#.utf8))
        #expect(reply.status == 503)
        #expect(reply.text.contains("cannot start: a: no recorded response in it"))
        #expect(failing.logged == ["recording could not be switched on: a: no recorded response in it"])
    }

    /// A named file could be any file of the proxy's user.
    @Test func malformedContentChangesNothing() throws {
        let recorder = Recorder(.success(status))
        let admin = try recorder.admin()
        for content in [
            #"{"on":true,"file":"/etc/passwd"}"#, #"{"file":"a"}"#, #"{"on":1}"#, #"{"on":"true"}"#, "{}", "",
            "[true]", #"{"on":true,"on":false}"#,
        ] { #expect(try post(admin, content) == 400, "\(content)") }
        #expect(try post(admin, #"{"on":true}"#, "/recording?file=a") == 400)
        #expect(recorder.asked.withLock { $0 }.isEmpty)
    }
}
