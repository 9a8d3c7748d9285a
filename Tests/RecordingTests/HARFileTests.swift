import TestSupport
import Testing
import Text

@testable import Recording

@Suite struct HARFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private static func entry(
        time: String = "2026-11-22T00:00:00.100Z", url: String = "https://api.music.apple.com/v1/catalog/us/songs/1",
        status: String = "200", requestHeaders: String = "", headers: String = "", content: String = #""size":0"#,
        more: String = #""time":5"#
    ) -> String {
        """
        {"startedDateTime":"\(time)",\(more),"request":{"method":"GET","url":"\(url)","headers":[\(requestHeaders)]},
        "response":{"status":\(status),"headers":[\(headers)],"content":{\(content)}}}
        """
    }

    private static func har(_ entries: String...) -> String {
        #"{"log":{"version":"1.2","creator":{"name":"Chrome","version":"1"},"entries":["#
            + entries.joined(separator: ",") + "]}}"
    }

    @Test func timesHaveOffsetsFractionsAndAnyOrder() throws {
        let read = try folder.read(
            Self.har(
                Self.entry(time: "2026-11-22T01:00:02.5+01:00", url: "http://h/v1/b"),
                Self.entry(time: "2026-11-22T00:00:01Z", url: "http://h/v1/a"),
                Self.entry(time: "2026-11-22T00:00:01.123456789-00:00", url: "http://h/v1/c")))
        #expect(read.exchanges.map(\.target) == ["/v1/a", "/v1/c", "/v1/b"])
        #expect(read.exchanges.map(\.offset) == [.zero, .microseconds(123_456), .milliseconds(1500)])
        #expect(read.warnings.isEmpty)
    }

    @Test func latencyIsTheTimeOrTheSumOfTheKnownTimings() throws {
        func latency(_ members: String) throws -> Duration? {
            try folder.read(Self.har(Self.entry(more: members))).exchanges.first?.latency
        }
        #expect(try latency(#""time":103.5"#) == .microseconds(103_500))
        #expect(try latency(#""time":103.55999995954335"#) == .nanoseconds(103_559_999))
        #expect(
            try latency(
                #""time":-1,"timings":{"blocked":-1,"dns":1,"connect":2,"ssl":2,"send":0,"wait":4.5,"receive":1}"#)
                == .microseconds(8500))
        #expect(try latency(#""cache":{}"#) == .zero)
    }

    @Test func bodiesComeAsTextOrBase64() throws {
        let read = try folder.read(
            Self.har(
                Self.entry(time: "2026-11-22T00:00:01Z", content: #""size":9,"text":"{\"a\":\"é\"}""#),
                Self.entry(time: "2026-11-22T00:00:02Z", content: #""size":2,"text":"/+8=","encoding":"base64""#),
                Self.entry(time: "2026-11-22T00:00:03Z", content: #""size":7000"#),
                Self.entry(time: "2026-11-22T00:00:04Z", status: "304", content: #""size":3,"text":"abc""#)))
        let bodies = try read.exchanges.map { try $0.body.flatMap { try read.bodies.content(of: $0) } }
        #expect(bodies == [Array(#"{"a":"é"}"#.utf8), [0xFF, 0xEF], nil, nil])
        #expect(read.exchanges.map(\.length) == [10, 2, 7000, 0])
    }

    @Test func secretsAndPersonalContentDoNotComeOutOfAHARFile() throws {
        let secret = "s3cret"
        let fields = ["Authorization", "Music-User-Token", "Cookie", ":authority", "X-Refrain-Key", "media-user-token"]
            .map { #"{"name":"\#($0)","value":"\#(secret)"}"# }
        let read = try folder.read(
            Self.har(
                Self.entry(
                    url: "https://user:\(secret)@\(secret).example/v1/me/library/songs/\(secret)?l=\(secret)",
                    requestHeaders: (fields + [#"{"name":"Accept-Language","value":"de"}"#]).joined(separator: ","),
                    headers: #"{"name":"Set-Cookie","value":"a=\#(secret)"},{"name":"ETag","value":"\"1\""}"#,
                    content: #""size":6,"text":"\#(secret)""#),
                Self.entry(
                    url: "https://h/v1/catalog/us/albums/1?include=library",
                    content: #""size":6,"text":"\#(secret)""#)))
        #expect(read.exchanges.map(\.target) == ["/v1/me/library/{type}/{id}", "/v1/catalog/{storefront}/albums/{id}"])
        #expect(read.exchanges.allSatisfy { $0.isPersonal && $0.body == nil && $0.length == 6 })
        #expect(read.bodies.count == 0)
        #expect(read.exchanges[0].requestFields == [RecordedField("accept-language", "de")])
        #expect(read.exchanges[0].fields == [RecordedField("etag", "\"1\"")])
        #expect(!String(reflecting: read).contains(secret))
    }

    /// Bodies were taken over where only the route said nothing of a user.
    @Test(arguments: ["Music-User-Token", "media-user-token", "Cookie"])
    func anAnswerToSomebodyIsPersonalUnlessItIsTheSameForAll(field: String) throws {
        let fields = #"{"name":"\#(field)","value":"s3cret"}"#
        let read = try folder.read(
            Self.har(
                Self.entry(url: "http://h/v1/x/s3cret?q=s3cret", requestHeaders: fields, content: #""text":"s3cret""#),
                Self.entry(requestHeaders: fields, content: #""text":"{}""#)))
        #expect(read.exchanges.map(\.isPersonal) == [true, false])
        #expect(read.exchanges.map(\.target) == ["/...", "/v1/catalog/us/songs/1"])
        #expect(read.exchanges[0].body == nil && read.bodies.count == 1)
        #expect(!String(reflecting: read).contains("s3cret"))
    }

    @Test func whatIsNoExchangeIsCountedByKind() throws {
        let twice = Self.entry()
        let read = try folder.read(
            Self.har(
                twice, twice, Self.entry(url: "https://example.org/logo.png"), Self.entry(url: "data:text/plain,x"),
                Self.entry(url: "https://h/v12/x"), Self.entry(url: "https://h/version/x"),
                Self.entry(status: "0"), Self.entry(more: #""_fromCache":"disk","time":1"#)))
        #expect(read.exchanges.map(\.target) == ["/v1/catalog/us/songs/1", "/v12/x"])
        let counts = read.warnings.map { $0.replacingOccurrences(of: folder.path + "/file: left out: ", with: "") }
        #expect(counts.map { $0.prefix { $0 != " " } } == ["3", "1", "1", "1"])
        #expect(counts[0].contains("/v1/") && counts[1].contains("blocked") && counts[3].contains("twice"))
    }

    @Test func aFileOfForeignRequestsSaysSo() throws {
        let problem = try folder.problem(Self.har(Self.entry(url: "https://example.org/")))
        #expect(problem?.contains("1 requests not to the API") == true)
        #expect(try folder.problem(Self.har()) == "f: no recorded response in it")
    }

    @Test func addressesBecomeTargets() {
        for (url, target) in [
            ("https://h/v1/a?b=c#d", "/v1/a?b=c"), ("HTTP://h:8/v1/a", "/v1/a"), ("/v1/a#b", "/v1/a"),
            ("https://h", ""), ("https://h?q", "?q"), ("https://h#/v1/a", ""),
        ] { #expect(HAREntry.target(ofURL: url) == target, "\(url)") }
        #expect(HAREntry.target(ofURL: "blob:https://h/v1/a") == nil)
        #expect(RecordedTarget.redacted(text: "/v1/s?term=a é") == "/v1/s?term=a%20%C3%A9")
        #expect(RecordedTarget.redacted(text: "/v1/s\r\nHost: x") == nil)
        #expect(RecordedTarget.redacted(text: "v1") == nil)
    }

    @Test func aByteOrderMarkIsPassedOver() throws {
        #expect(try folder.read("\u{FEFF}" + Self.har(Self.entry())).exchanges.count == 1)
    }

    @Test func fieldsThatBrowsersJoinByLineEndsAreSeveral() throws {
        let read = try folder.read(Self.har(Self.entry(headers: #"{"name":"Vary","value":"Origin\nAccept"}"#)))
        #expect(read.exchanges[0].fields.map(\.value) == ["Origin", "Accept"])
    }

    @Test func brokenFilesSayWhere() throws {
        let cut = String(Self.har(Self.entry(), Self.entry()).dropLast(40))
        #expect(try folder.problem(cut) == "f:3: not JSON: the text ends inside a value")
        #expect(
            try folder.problem("{\"log\":{\n\"entries\":[\n01]}}") == "f:3: not JSON: a byte that cannot stand here")
        let cases = [
            (#"{"log":[]}"#, "log is not an object"), (#"{"log":{"entries":{}}}"#, "log.entries is not a list"),
            (Self.har("1"), "entry 1: request is not an object"),
            (Self.har(Self.entry(), Self.entry(time: "yesterday")), "entry 2: startedDateTime is not"),
            (Self.har(Self.entry(url: #"http://h/v1/a\r\nX: y"#)), "entry 1: request.url has a path"),
            (Self.har(Self.entry(status: "-5")), "entry 1: response.status"),
            (Self.har(Self.entry(status: "1e9")), "entry 1: response.status"),
            (Self.har(Self.entry(more: #""time":"x""#)), "entry 1: time is not a number"),
            (Self.har(Self.entry(more: #""time":1e300"#)), "entry 1: time is more than"),
            (Self.har(Self.entry(headers: "3")), "entry 1: response.headers holds"),
            (
                Self.har(Self.entry(requestHeaders: #"{"name":"Accept","value":"a\nX-Evil: 1"}"#)),
                "entry 1: the value of the header field accept"
            ),
            (
                Self.har(Self.entry(headers: #"{"name":"ETag","value":"a\r\nX-Evil: 1"}"#)),
                "entry 1: the value of the header field etag"
            ),
            (
                Self.har(Self.entry(content: #""text":"?","encoding":"base64""#)),
                "entry 1: response.content.text is not"
            ),
            (Self.har(Self.entry(content: #""text":"?","encoding":"rot13""#)), "entry 1: response.content.encoding"),
            (Self.har(Self.entry(content: #""text":{}"#)), "entry 1: response.content.text is not text"),
            (Self.har(Self.entry(content: #""size":9223372036854775807"#)), "entry 1: the size of the content"),
        ]
        for (text, reason) in cases {
            let problem = try folder.problem(text)
            #expect(problem?.hasPrefix("f: " + reason) == true, "\(reason): \(problem ?? "read")")
        }
    }

    @Test func deepNestingIsAnErrorAndNoCrash() throws {
        let problem = try folder.problem(#"{"log":"# + String(repeating: "[", count: 100_000))
        #expect(problem == "f:1: not JSON: nested too deeply")
    }
}
