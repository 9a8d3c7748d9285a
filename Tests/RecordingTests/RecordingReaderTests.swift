import Foundation
import TestSupport
import Testing
import Text

@testable import Recording

@Suite struct RecordingReaderTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    static let header = String(
        decoding: RecordingHeader(started: Timestamp(microseconds: 0), program: "refrain").line,
        as: UTF8.self)
    static let line = String(decoding: RecordedExchange.example().line, as: UTF8.self)

    private static func line(_ change: (String) -> String) -> String { header + change(line) }

    @Test func aCutRecordingReadsToItsLastWholeLine() throws {
        let body = Array("{\"data\":[]}".utf8)
        let hash = try #require(BodyHash(of: body))
        let exchange = RecordedExchange.example {
            $0.body = hash
            $0.length = body.count
        }
        let whole = Array(Self.header.utf8) + exchange.line + exchange.line
        let bodies = RecordedBodies.record(hash, body)
        for end in Self.header.utf8.count...whole.count {
            let file = try folder.put(whole[..<end], "r")
            try folder.put(bodies[..<(end % bodies.count)], "r.bodies")
            let reader = try RecordingReader(path: file)
            let read = try reader.rest()
            let rest = end - Self.header.utf8.count
            // A line that lacks nothing but its end has everything in it.
            #expect(read.count == (rest + 1) / exchange.line.count, "cut at \(end)")
            let isWhole = [0, exchange.line.count - 1].contains(rest % exchange.line.count)
            #expect(reader.warnings.count { $0.contains("truncated") } == (isWhole ? 0 : 1), "cut at \(end)")
            #expect(try reader.bodies.content(of: hash) == nil)
        }
    }

    @Test func droppedAndCutLinesAndMissingBodiesAreWarnings() throws {
        let read = try folder.read(Self.header + "{\"dropped\":12}\n\n" + Self.line)
        #expect(read.exchanges == [.example()])
        #expect(read.warnings.contains { $0.contains("/file:2: 12 exchanges") && $0.contains("its disk failed") })
        // As a file system may leave it after the power failed.
        let cut = try folder.read(Self.header + Self.line + String(repeating: "\0", count: 5000))
        #expect(cut.exchanges == [.example()] && cut.warnings.count == 1)
        #expect(cut.warnings[0].hasSuffix("/file:3: the last line is truncated and skipped"))
        // Without bodies nothing could be verified, and no warning said so.
        let bodiless = RecordedExchange.example { $0.body = BodyHash(of: [1]) }
        let without = try folder.read(Self.header + Self.line + String(decoding: bodiless.line, as: UTF8.self))
        #expect(without.exchanges == [.example(), bodiless] && without.warnings.count == 1)
        #expect(without.warnings[0].hasSuffix("/file.bodies, from here on: 1 body, which counts as not recorded"))
        #expect(without.warnings[0].contains("/file:3: not in "))
    }

    /// The page promised so, and the file was refused.
    @Test func unknownMembersAndLinesArePassedOver() throws {
        let read = try folder.read(Self.header + "{\"note\":\"x\",\"time\":\"y\"}\n" + Self.line)
        #expect(read.exchanges == [.example()] && read.warnings.isEmpty)
        let later = Self.line { $0.replacingOccurrences(of: "{\"time\"", with: "{\"new\":[{}],\"time\"") }
        #expect(try folder.read(later).exchanges == [.example()])
        let secrets = try folder.read(
            Self.line {
                $0.replacingOccurrences(
                    of: "\"status\"",
                    with: #""request_headers":{"Authorization":"x","Accept":"*/*","content-length":"9\r\n"},"status""#)
            })
        #expect(secrets.exchanges[0].requestFields == [RecordedField("accept", "*/*")])
    }

    /// A disk that failed, or an editor, leaves such lines. All other exchanges were lost for one.
    @Test func aBadLineCostsThatLineAlone() throws {
        let one = try folder.read(Self.header + Self.line + "garbage\n" + Self.line + "{\"dropped\":1}\n")
        #expect(one.exchanges == [.example(), .example()])
        #expect(one.warnings[0].hasSuffix(", at byte 0; this line is left out"), "\(one.warnings)")
        #expect(one.warnings[0].contains("/file:3: not JSON: ") && one.warnings.count == 2)
        let bad = Self.line.replacingOccurrences(of: "\"status\":200", with: "\"status\":99")
        let good = Self.line + Self.line
        let lines = good + "[1]\n" + bad + "\0\0" + Self.line + good
        let several = try folder.read(Self.header + lines)
        #expect(several.exchanges.count == 4 && several.warnings.count == 1)
        #expect(
            several.warnings[0].hasSuffix("/file:4: not a JSON object; this line and 2 more are left out"),
            "\(several.warnings)")
        let mostly = "f:3: 2 of 3 lines cannot be read, the first: not a JSON object"
        #expect(try folder.problem(Self.header + Self.line + "[1]\n{}}\n") == mostly)
        #expect(try folder.problem(Self.header + Self.line + "[1]\n") == nil)
        let untimed = Self.line.replacing(#/"time":"[^"]*"/#, with: #""no":1"#)
        #expect(try folder.problem(Self.header + untimed) == "f:2: time is missing", "it was no time such as ...")
    }

    @Test func anOverlongLineIsLeftOutUnread() throws {
        let long = String(repeating: "x", count: 3 * InputFile.longestLine)
        let read = try folder.read(Self.header + Self.line + long + "\n" + Self.line)
        #expect(read.exchanges == [.example(), .example()])
        let said = "/file:3: longer than 1 MiB, the limit for lines of a recording; this line is left out"
        #expect(read.warnings.count == 1 && read.warnings[0].hasSuffix(said))
        let cut = try folder.read(Self.header + Self.line + long).warnings
        #expect(cut.count == 1 && cut[0].hasSuffix("/file:3: the last line is truncated and skipped"))
        #expect(
            try folder.problem(Self.header + long + "\n") == "f:2: longer than 1 MiB, the limit for lines of a "
                + "recording")
        let most = "{\"dropped\":0,\"x\":\"" + String(repeating: "x", count: InputFile.longestLine - 20) + "\"}"
        #expect(try folder.problem(Self.header + most + "\n") == nil)
    }

    @Test func foreignFilesAreNamed() throws {
        let cases: [([UInt8], String)] = [
            ([0x1F, 0x8B, 8, 0], "compressed with gzip"), (Array("SQLite format 3\0\0".utf8), "SQLite database"),
            ([0x89, 0x50, 0x4E, 0x47, 13], "an image"), (Array("\n <html>".utf8), "HTML"),
            ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0], "compressed with xz; unpack it first"),
            (Array("BZh91AY&SY".utf8), "compressed with bzip2; unpack it first"),
            (Array(#"{"info":{"_postman_id":"1","name":"a"},"item":[]}"#.utf8), "of Postman"),
            (Array(#"{"info":{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/"#.utf8), "of Postman"),
            (Array(#"{"_type":"export","__export_format":4,"resources":[]}"#.utf8), "export the requests as HAR"),
            (Array("type: collection.insomnia.rest/5.0\nname: a\n".utf8), "of Insomnia"),
            (Array("import http from 'k6/http';\n".utf8), "a script of k6"),
            (Array("import { check } from \"k6\";\n".utf8), "a script of k6"),
            (Array(#"{"type":"Metric","data":{"name":"http_reqs"},"metric":"http_reqs"}"#.utf8), "results of k6"),
            (Array("\u{FEFF}<html>".utf8), "HTML"),
            (Array("PK\u{3}\u{4}".utf8), "zip"), ([0xFF, 0xFE, 0x7B, 0], "UTF-16"),
            // "path is missing" told nobody that a log was given for a recording.
            (Array(#"127.0.0.1 - - [22/Nov/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 5"#.utf8), "an access log, which"),
            (
                Array(#"{"time":"t","target":"/","status":200,"outcome":"hit","seconds":0.1}"#.utf8),
                "an access log, which"
            ),
            // It was called an access log.
            (RecordedExchange.example { $0.outcome = "hit" }.line, "a line of a recording without its first line"),
            (Array("\0\0\0\n".utf8), "not a JSON object"), (Array("[1]".utf8), "not a JSON object"),
            (Array(#"{"ts":"2026-11-22","status":200}"#.utf8), "path is missing"),
        ]
        for (bytes, reason) in cases {
            let problem = try folder.problem(bytes)
            #expect(problem?.contains(reason) == true && problem?.hasPrefix("f:") == true, "\(problem ?? "read")")
        }
        for empty in ["", "\n\n"] { #expect(try folder.problem(empty) == "f: no recorded response in it") }
        #expect(throws: RecordingError.cannotRead(path: "/none", code: ENOENT)) { try RecordingReader(path: "/none") }
        #expect(throws: RecordingError.cannotRead(path: folder.path + "/index.jsonl", code: ENOENT)) {
            try RecordingReader(path: folder.path)
        }
    }

    /// Editors of other systems put one before the text.
    @Test func aByteOrderMarkIsPassedOver() throws {
        let har =
            #"{"log":{"entries":[{"startedDateTime":"2026-11-21T00:00:00.000Z","request":{"method":"GET","#
            + #""url":"https://api.music.apple.com/v1/catalog/us/songs/1"},"response":{"status":404}}]}}"#
        for text in [Self.header + Self.line, har, #"{"path":"/v1/a","status":200}"# + "\n"] {
            #expect(try folder.problem("\u{FEFF}" + text) == nil, "\(text)")
        }
    }

    /// A target of 16 KiB and more was "not a path that begins with / and has no spaces in it".
    @Test func aTargetThatIsTooLongIsCalledSo() throws {
        let long = "/v1/" + String(repeating: "x", count: RecordedTarget.longest)
        let words = " longer than 16 KiB, the limit for targets"
        let line = Self.line.replacingOccurrences(of: "/v1/catalog", with: long)
        #expect(try folder.problem(Self.header + line) == "f:2: target is" + words)
        let index = #"{"path":"\#(long)","status":200}"# + "\n"
        #expect(try folder.problem(index) == "f:1: path and query are" + words)
        let har =
            #"{"log":{"entries":[{"startedDateTime":"2026-11-21T00:00:00.000Z","request":{"method":"GET","#
            + #""url":"https://api.music.apple.com\#(long)"},"response":{"status":404}}]}}"#
        #expect(try folder.problem(har)?.contains("request.url is" + words) == true)
    }

    @Test func aHeaderOfAnotherVersionIsRefused() throws {
        for (header, reason) in [
            (#"{"refrain_recording":2,"started":"2026-11-22T00:00:00Z","sampling":1}"#, "reads up to 1"),
            (#"{"refrain_recording":"1"}"#, "not a version"), (#"{"refrain_recording":0}"#, "not a version"),
            (#"{"refrain_recording":1}"#, "started is not"),
            (#"{"refrain_recording":1,"started":5}"#, "started is not"),
            (#"{"refrain_recording":1,"started":"2026-11-22T00:00:00Z","sampling":0}"#, "sampling"),
            (#"{"refrain_recording":1,"started":"2026-11-22T00:00:00Z","sampling":1e999}"#, "sampling"),
        ] {
            let problem = try folder.problem(header + "\n" + Self.line)
            #expect(problem?.hasPrefix("f:1: ") == true && problem?.contains(reason) == true, "\(problem ?? "read")")
        }
    }

    @Test func wrongMembersSayWhichLineAndWhy() throws {
        for (member, wrong, reason) in [
            (#""method":"GET""#, #""method":"GET / HTTP/1.1\r\nX:""#, "method"),
            (#""method":"GET""#, #""a":1"#, "method"),
            (#"/v1/catalog"#, #"v1/catalog"#, "target"), (#"/v1/catalog"#, #"/v1/ catalog"#, "target"),
            (#"/v1/catalog"#, #"/v1\r\nHost: evil\r\n\r\n"#, "target"), (#"/v1/catalog"#, #"/v1/\u0000"#, "target"),
            (#"/v1/catalog"#, #"/v1/é"#, "target"), (#""status":200"#, #""status":99"#, "status"),
            (#""status":200"#, #""status":"200""#, "status"), (#""status":200"#, #""status":200.0"#, "status"),
            (#""bytes":0"#, #""bytes":-1"#, "bytes"), (#""bytes":0"#, #""bytes":1099511627777"#, "bytes"),
            (#""offset":1.500000001"#, #""offset":-1"#, "offset"), (#""offset":1.500000001"#, #""o":1"#, "offset"),
            (#""offset":1.500000001"#, #""offset":1e10"#, "offset"),
            (#""offset":1.500000001"#, #""offset":"1""#, "offset"),
            (#""seconds":0.012345678"#, #""seconds":-0.0"#, "seconds"),
            (#""seconds":0.012345678"#, #""seconds":[]"#, "seconds"),
            (#""seconds":0.012345678"#, #""seconds":NaN"#, "not JSON"),
            (#""bytes":0"#, #""bytes":0,"body":"abc""#, "body"), (#""bytes":0"#, #""bytes":0,"body":5"#, "body"),
            (#""bytes":0"#, #""headers":{"etag":"a\nb"}"#, "etag"),
            (#""bytes":0"#, #""headers":{"etag":5}"#, "headers"),
            (#""bytes":0"#, #""headers":["etag"]"#, "headers"),
            (#""bytes":0"#, #""request_headers":{"accept":"a\r\nb"}"#, "accept"),
            (#"2026-11-22T"#, #"2026-13-22T"#, "time"), ("{", "[{", "not JSON"), ("}", "}}", "not JSON"),
        ] {
            #expect(Self.line.contains(member), "\(member)")
            let bad = Self.line.replacingOccurrences(of: member, with: wrong)
            let problem = try folder.problem(Self.header + bad)
            #expect(
                problem?.hasPrefix("f:2: ") == true && problem?.contains(reason) == true,
                "\(wrong): \(problem ?? "read")")
        }
    }

    @Test func linesBecomeExchangesCapturedOnesFirst() throws {
        try folder.put("body".utf8, "a.json")
        let read = try folder.read(
            """
            {"path":"/v1/b","status":200,"kind":"doc-example","body":{"x":[1.50]}}

            {"path":"/v1/a","query":"term=a b","status":200,"file":"a.json","headers":{"ETag":"\\"1\\"","Server":"x"},\
            "also_requests":[{"path":"/v1/c","method":"POST"},{"query":"x"}]}
            """, as: "index.jsonl")
        #expect(read.exchanges.map { $0.method + $0.target } == ["GET/v1/a?term=a%20b", "POST/v1/c", "GET/v1/b"])
        #expect(read.exchanges[0].fields == [RecordedField("etag", "\"1\"")])
        let bodies = try read.exchanges.map { try read.bodies.content(of: #require($0.body)) }
        #expect(bodies == [Array("body".utf8), Array("body".utf8), Array(#"{"x":[1.50]}"#.utf8)])
        let reader = try RecordingReader(path: folder.path)
        #expect(try reader.rest().count == 3)
    }

    @Test func filesOutsideTheFolderOrTooLongAreNotRead() throws {
        for file in ["../secret", "/etc/passwd", "a/../../b", "..", "", #"a\u0000/../b"#] {
            let problem = try folder.problem(#"{"path":"/v1/a","status":200,"file":"\#(file)"}"#)
            #expect(problem == "f:1: file leads out of the folder of the index", "\(file)")
        }
        let missing = try folder.problem(#"{"path":"/v1/a","status":200,"file":"none"}"#)
        #expect(missing == folder.path + "/none: No such file or directory")
        try folder.put(repeatElement(0x61, count: RecordedBodies.longest + 1), "long")
        let read = try folder.read(#"{"path":"/v1/a","status":200,"file":"long"}"#)
        #expect(read.exchanges[0].body == nil && read.exchanges[0].length == RecordedBodies.longest + 1)
        #expect(read.warnings.count == 1 && read.warnings[0].contains("/file:1: "))
    }

    @Test func linksOutOfTheFolderAreNotFollowed() throws {
        let elsewhere = try TemporaryFolder()
        try elsewhere.put("secret".utf8, "secret")
        let inner = folder.path + "/inner"
        mkdir(inner, 0o755)
        try folder.put("body".utf8, "inner/a.json")
        #expect(symlink(elsewhere.path + "/secret", folder.path + "/link") == 0)
        #expect(symlink(elsewhere.path, inner + "/out") == 0)
        #expect(symlink("inner", folder.path + "/within") == 0)
        for file in ["link", "inner/out/secret", "within/out/secret"] {
            let problem = try folder.problem(#"{"path":"/v1/a","status":200,"file":"\#(file)"}"#)
            #expect(problem == "f:1: file leads out of the folder of the index", "\(file)")
        }
        let read = try folder.read(#"{"path":"/v1/a","status":200,"file":"within/a.json"}"#)
        #expect(read.exchanges.first?.length == 4, "a link inside the folder is followed")
        #expect(symlink(elsewhere.path + "/secret", inner + "/index.jsonl") == 0)
        let leadsOut = RecordingError.badFile(path: inner + "/index.jsonl", reason: "leads out of its folder")
        #expect(throws: leadsOut) { try RecordingReader(path: inner) }
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        let pipe = try folder.problem(#"{"path":"/v1/a","status":200,"file":"pipe"}"#)
        #expect(pipe == "f:1: file is not a regular file")
    }

    @Test func wrongLinesSayWhere() throws {
        let good = #"{"path":"/v1/a","status":200}"# + "\n"
        for (line, reason) in [
            ("x", "not a JSON object"), ("[]", "not a JSON object"), (#"{"path":5,"status":200}"#, "path is missing"),
            (#"{"path":"/v1/a\r\nX: y","status":200}"#, "path and query"),
            (#"{"path":"/v1/a","query":"\n","status":200}"#, "path and query"),
            (#"{"path":"/v1/a","status":200,"method":"G T"}"#, "method"),
            (#"{"path":"/v1/a","status":199}"#, "status"), (#"{"path":"/v1/a","status":1e2}"#, "status"),
            (#"{"path":"/v1/a","status":200,"body":5}"#, "body is neither"),
            (#"{"path":"/v1/a","status":200,"headers":{"ETag":"a\r\nb"}}"#, "the value of the header field etag"),
            (#"{"path":"/v1/a","status":200,"also_requests":[{"path":"x"}]}"#, "path is missing"),
        ] {
            let problem = try folder.problem(good + "\n" + line)
            #expect(problem?.hasPrefix("f:3: " + reason) == true, "\(line): \(problem ?? "read")")
        }
        let problem = try folder.problem(String(decoding: RecordedExchange.example().line, as: UTF8.self))
        #expect(problem?.hasPrefix("f:1: a line of a recording without its first line") == true)
    }
}
