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

    @Test func latencyIsTheTimeOrTheSumOfTimings() throws {
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

    @Test func secretsAreNotReadFromHARFiles() throws {
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
    func anAnswerToAUserIsPersonal(field: String) throws {
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

    /// Safari says where an answer came from in a member of its own: `_fetchType`.
    @Test func otherEntriesAreCountedByKind() throws {
        let twice = Self.entry(more: #""_fetchType":"Network Load","time":5"#)
        let read = try folder.read(
            Self.har(
                twice, twice, Self.entry(url: "https://example.org/logo.png"), Self.entry(url: "data:text/plain,x"),
                Self.entry(url: "https://h/v12/x"), Self.entry(url: "https://h/version/x"),
                Self.entry(status: "0"), Self.entry(more: #""_fromCache":"disk","time":1"#),
                Self.entry(more: #""_fetchType":"Memory Cache""#), Self.entry(more: #""_fetchType":"Disk Cache""#)))
        #expect(read.exchanges.map(\.target) == ["/v1/catalog/us/songs/1", "/v12/x"])
        let counts = read.warnings.map { $0.replacingOccurrences(of: folder.path + "/file: left out: ", with: "") }
        #expect(counts.map { $0.prefix { $0 != " " } } == ["3", "1", "3", "1"])
        #expect(counts[0].contains("/v1/") && counts[1].contains("blocked") && counts[3].contains("twice"))
        #expect(counts[2] == "3 requests answered out of the browser's own cache")
    }

    @Test func wrongFilesSayWhatIsWrong() throws {
        let problem = try folder.problem(Self.har(Self.entry(url: "https://example.org/")))
        #expect(problem?.contains("1 request not to the API") == true)
        #expect(try folder.problem(Self.har()) == "f: no recorded response in it")
        #expect(
            RecordingError.tooLarge(path: "f", most: InputFile.mostWhole).description.hasPrefix(
                "f: larger than 256 MiB"))
        let cut = String(Self.har(Self.entry(), Self.entry()).dropLast(40))
        #expect(try folder.problem(cut) == "f:3: not JSON: the text ends inside a value")
        #expect(try folder.problem(#"{"log":{"entries":[} "#)?.hasPrefix("f:1: not JSON: an unexpected byte") == true)
        #expect(try folder.problem(#"{"log":[]}"#) == "f: log is not an object")
        #expect(try folder.problem(#"{"log":{"entries":{}}}"#) == "f: log.entries is not a list")
        #expect(try folder.problem(#"{"log":{"version":"1.2"}}"#) == "f: log.entries is not a list")
        #expect(try folder.problem(Self.har("01"))?.hasPrefix("f: it has no usable entry: entry 1: ") == true)
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

    @Test func marksAndJoinedFieldsOfBrowsersAreRead() throws {
        #expect(try folder.read("\u{FEFF}" + Self.har(Self.entry())).exchanges.count == 1)
        let read = try folder.read(Self.har(Self.entry(headers: #"{"name":"Vary","value":"Origin\nAccept"}"#)))
        #expect(read.exchanges[0].fields.map(\.value) == ["Origin", "Accept"])
    }

    /// One such entry refused the whole file, with thousands of entries in it.
    @Test(arguments: [
        ("1", "request is not an object"), ("[01]", "an unexpected byte"),
        ("[1}", "an unexpected byte"),
        (entry(time: "yesterday"), "startedDateTime is not"),
        (entry(url: #"http://h/v1/a\r\nX: y"#), "request.url has a path"),
        (entry(status: "-5"), "response.status"), (entry(status: "1e9"), "response.status"),
        (entry(more: #""time":"x""#), "time is not a number"), (entry(more: #""time":1e300"#), "time is more than"),
        (entry(headers: "3"), "response.headers has"),
        (entry(requestHeaders: #"{"name":"Accept","value":"a\nX-Evil: 1"}"#), "the value of the header field accept"),
        (entry(headers: #"{"name":"ETag","value":"a\r\nX-Evil: 1"}"#), "the value of the header field etag"),
        (entry(content: #""text":"?","encoding":"base64""#), "response.content.text is not base64"),
        (entry(content: #""text":"?","encoding":"rot13""#), "response.content.encoding"),
        (entry(content: #""text":{}"#), "response.content.text is not text"),
        (entry(content: #""size":9223372036854775807"#), "the size of the content"),
        (entry(content: #""text":"a='\ud83d'""#), "half of a surrogate pair"),
        (entry(url: "https://cdn.example.com/app.js", content: #""text":"\ud83d""#), "half of a surrogate pair"),
        (String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000), "nested too deeply"),
    ]) func anOddEntryCostsThatEntryAndNotTheFile(_ odd: String, _ reason: String) throws {
        let read = try folder.read(Self.har(Self.entry(), odd, Self.entry(time: "2026-11-22T00:00:01Z"), odd))
        #expect(read.exchanges.count == 2 && read.warnings.count == 1, "\(read.warnings)")
        #expect(
            read.warnings[0].contains("left out: 2 entries that cannot be read, the first is entry 2: " + reason),
            "\(read.warnings)")
    }

    /// All but the last two were served as an empty 200, which a cache keeps.
    @Test(
        arguments: [
            (#""mimeType":"application/json""#, nil), (#""size":-1"#, nil), (#""size":-1,"text":"""#, nil),
            (#""size":-1,"_file":"0b9f.json""#, nil), (#""size":700,"text":"""#, 700), (#""size":700"#, 700),
            (#""size":0},"bodySize":300,"x":{"#, 300), (#""text":null"#, nil), (#""size":0"#, 0),
            (#""size":0,"text":"""#, 0),
        ] as [(String, Int?)]) func onlyContentOfNoBytesIsEmpty(_ content: String, _ length: Int?) throws
    {
        let exchange = try #require(try folder.read(Self.har(Self.entry(content: content))).exchanges.first)
        #expect(exchange.body == nil && exchange.length == length && exchange.lacksContent == (length != 0))
        // Neither does it become so on the way through a file of ours.
        let again = try folder.read(String(decoding: HARWriterTests.har([(exchange, nil)]), as: UTF8.self), as: "again")
        #expect(again.exchanges.map(\.length) == [length])
        let native = RecordingReaderTests.header + String(decoding: exchange.line, as: UTF8.self)
        #expect(try folder.read(native, as: "native").exchanges.map(\.length) == [length])
    }

    /// A file whose first member was another one was "not a JSON object", or an index.
    @Test(arguments: [
        "\"$schema\":\"x\",", "\n\"comment\":{\"log\":[]},\n",
        "\"pages\":\"\(String(repeating: "x", count: 70_000))\",",
    ])
    func logNeedNotBeTheFirstMember(_ before: String) throws {
        let text = "{" + before + Self.har(Self.entry()).dropFirst()
        #expect(try folder.read(text).exchanges.count == 1)
    }
}
