import TestSupport
import Testing
import Text

@testable import AppleMusic

/// Which bodies are answers of the API at all.
@Suite struct AnswerContentTests {
    private static let resource = #"{"id":"1","type":"songs","attributes":{"name":"a","data":null,"errors":[1]}}"#

    private func isAnswer(_ body: String) -> Bool { DocumentScan(Array(body.utf8)).isAnswer }

    @Test(arguments: [
        #"{"data":[]}"#, #"{"data":[\#(resource)]}"#, #" { "next" : "/a" , "data" : [ \#(resource) ] } "#,
        #"{"data":[\#(resource)],"errors":[{"status":"404"}]}"#, #"{"errors":[],"data":[]}"#, #"{"results":{}}"#,
        #"{"results":{"songs":{"data":[\#(resource)]}},"meta":{}}"#, #"{"meta":{"data":null},"data":[\#(resource)]}"#,
        #"{"results":{"terms":["a"]},"errors":[{}]}"#, #"{"data":null,"results":{"terms":["a"]}}"#,
        #"{"data":[{"id":"1","type":"songs","attributes":{"name":"\ud800"}}]}"#, "{}", #"{"xdata":null}"#,
        #"{"meta":{"data":[]}}"#, #"{"data":["a"]}"#, #"{"data":[[]]}"#,
        "\u{FEFF}{\"data\":[]}", "\u{FEFF} {\"results\":{}}",
    ])
    func aListResultsOrAnObjectOfAnotherShapeAreAnAnswer(body: String) { #expect(isAnswer(body)) }

    @Test(arguments: [
        "", " \r\n", "<!DOCTYPE html><html>{\"data\":[]}</html>", "null", "true", "42", #""data""#, "[]",
        #"[{"id":"1","type":"songs"}]"#, #"[{"data":[]}]"#, #"{"data":null}"#, #"{"data":{}}"#, #"{"data":1}"#,
        #"{"data":{"id":"1","type":"songs"}}"#, #"{"data":"[]"}"#, #"{"data":[null]}"#,
        #"{"errors":[{"status":"500"}]}"#, #"{"errors":[{}],"data":null}"#,
        #"{"errors":[{}],"data":[]}"#, #"{"errors":[{}],"results":{}}"#, #"{"errors":{"a":1}}"#, #"{"results":null}"#,
        #"{"results":[]}"#, #"{"results":"a"}"#, #"{"data":[]}}"#, #"{"data":[]}{"data":[]}"#, #"{"data":[]} x"#,
        "\u{FEFF}", "\u{FEFF}\u{FEFF}{\"data\":[]}", #"{"data":[],}"#, #"{'data':[]}"#, #"{"meta":{},"data":null}"#,
    ])
    func otherBodiesAreNoAnswer(body: String) { #expect(!isAnswer(body)) }

    /// The same as read by another parser, for JSON of every kind.
    @Test(arguments: 0..<60) func itIsAsAnotherParserSaysIt(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let values = ["null", "[]", "{}", "1", #""x""#, "[{}]", "[1]", #"{"a":[]}"#, #"[{"id":"1","type":"a"}, 2]"#]
        let names = ["data", "results", "errors", "meta", "next"].shuffled(using: &random)
        let members = names.prefix(Int.random(in: 0...5, using: &random)).map { name in
            "\"\(name)\" :\n \(values.randomElement(using: &random)!)"
        }
        let body = "{" + members.joined(separator: " , ") + "}"
        let json = try JSON.parse(Array(body.utf8))
        let (data, results, errors) = (json["data"], json["results"], json["errors"])
        let list = data?.arrayValue?.count
        let found = results?.objectValue?.members.count
        let isMisshapen = data != nil && list == nil || results != nil && found == nil
        let hasErrors = errors.map { ($0.arrayValue?.count ?? $0.objectValue?.members.count ?? 0) > 0 } ?? false
        let hasItems = (list ?? 0) + (found ?? 0) > 0
        #expect(isAnswer(body) == (hasItems || !isMisshapen && !hasErrors), "\(body)")
        let scan = DocumentScan(Array(body.utf8))
        #expect(scan.hasErrors == hasErrors && (!hasErrors || !hasItems || scan.document == nil), "\(body)")
    }

    /// An album that an error had kept out of a list counted as withdrawn.
    @Test func nothingIsComposedOfAnAnswerWithErrors() {
        for (errors, hasErrors) in [
            ("", false), (#","errors":[]"#, false), (#","errors":[{"status":"500"}]"#, true),
            (#", "errors" : { "a" : 1 } "#, true), (#","meta":{"errors":[{}]}"#, false),
        ] {
            let scan = DocumentScan(Array(#"{"data":[\#(Self.resource)]\#(errors)}"#.utf8))
            #expect(scan.isAnswer && scan.hasErrors == hasErrors && (scan.document == nil) == hasErrors, "\(errors)")
        }
    }

    @Test func moreResourcesThanAreCountedAreAnAnswerAllTheSame() {
        let many = (0..<9_000).map { #"{"id":"\#($0)","type":"songs"}"# }.joined(separator: ",")
        let scan = DocumentScan(Array("{\"data\":[\(many)]}".utf8))
        #expect(scan.isAnswer && scan.document == nil && scan.mentions == [ResourceMention.everything])
    }
}
