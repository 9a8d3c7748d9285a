import Foundation
import TestSupport
import Testing
import Text

@testable import Recording

@Suite struct IndexFileTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

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

    @Test func filesOutsideTheFolderAreNotRead() throws {
        for file in ["../secret", "/etc/passwd", "a/../../b", "..", "", #"a\u0000/../b"#] {
            let problem = try folder.problem(#"{"path":"/v1/a","status":200,"file":"\#(file)"}"#)
            #expect(problem == "f:1: file leads out of the folder of the index", "\(file)")
        }
        let missing = try folder.problem(#"{"path":"/v1/a","status":200,"file":"none"}"#)
        #expect(missing == folder.path + "/none: No such file or directory")
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
            (#"{"path":"/v1/a","status":-200}"#, "status"), (#"{"path":"/v1/a","status":1e2}"#, "status"),
            (#"{"path":"/v1/a","status":200,"body":5}"#, "body is neither"),
            (#"{"path":"/v1/a","status":200,"headers":{"ETag":"a\r\nb"}}"#, "the value of the header field etag"),
            (#"{"path":"/v1/a","status":200,"also_requests":[{"path":"x"}]}"#, "path is missing"),
        ] {
            let problem = try folder.problem(good + "\n" + line)
            #expect(problem?.hasPrefix("f:3: " + reason) == true, "\(line): \(problem ?? "read")")
        }
    }

    @Test func aTooLongBodyIsLeftOutWithAWarning() throws {
        try folder.put(repeatElement(0x61, count: RecordedBodies.longest + 1), "long")
        let read = try folder.read(#"{"path":"/v1/a","status":200,"file":"long"}"#)
        #expect(read.exchanges[0].body == nil && read.exchanges[0].length == RecordedBodies.longest + 1)
        #expect(read.warnings.count == 1 && read.warnings[0].contains("/file:1: "))
    }

    @Test func aMissingFirstLineIsNamed() throws {
        let problem = try folder.problem(String(decoding: RecordedExchange.example().line, as: UTF8.self))
        #expect(problem?.hasPrefix("f:1: a line of a recording without its first line") == true)
    }
}
