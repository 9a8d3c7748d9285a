import AppleMusic
import Cache
import Purging
import Store
import TestSupport
import Testing
import Text

@testable import Admin

private func request(_ text: String) throws(AdminRequestError) -> PurgeRequest { try PurgeRequest(Array(text.utf8)) }

private func refusal(_ text: String) -> String? {
    thrown { () throws(AdminRequestError) in try request(text) }?.detail
}

/// The one condition that the request has.
private func condition(_ text: String) throws -> EntrySelection.Condition {
    let conditions = try request(text).selection.conditions
    try #require(conditions.count == 1)
    return conditions[0]
}

@Suite struct PurgeRequestTests {
    @Test func softIsTheDefaultAndDryRunChangesNothing() throws {
        #expect(try request(#"{"all":true}"#).mode == .soft)
        #expect(try request(#"{"all":true,"hard":false,"dry_run":false}"#).mode == .soft)
        #expect(try request(#"{"all":true,"hard":true}"#).mode == .hard)
        #expect(try request(#"{"all":true,"hard":true,"dry_run":true}"#).mode == .dryRun)
        #expect(try request(#"{"all":true}"#).selection == EntrySelection())
    }

    @Test func theAnswerWaitsForTheCountUnlessItIsTold() throws {
        #expect(try request(#"{"all":true}"#).waits && request(#"{"all":true,"wait":true}"#).waits)
        #expect(try !request(#"{"all":true,"wait":false}"#).waits)
        #expect(try request(#"{"all":true,"dry_run":true,"wait":true}"#).mode == .dryRun)
    }

    @Test(arguments: [
        "/v1/catalog/us/songs?ids=1,2&include=artists,albums",
        "https://api.music.apple.com/v1/catalog/us/songs?include=albums,artists&ids=1,2",
        "HTTP://127.0.0.1:8080/v1/catalog/us/%73ongs?include=albums%2Cartists&ids=1%2C2",
    ])
    func aURLIsSpeltAsTheProxySpellsIt(url: String) throws {
        let canonical = try CanonicalTarget("/v1/catalog/us/songs?ids=1,2&include=albums,artists")
        #expect(try condition(#"{"url":"\#(url)"}"#) == .target(Array(canonical.text.utf8)))
    }

    @Test func aPrefixMayEndAnywhereInAPath() throws {
        for (given, meant) in [
            ("/v1/catalog/us/", "/v1/catalog/us/"), ("/v1/catalog/us/songs/14", "/v1/catalog/us/songs/14"), ("/", "/"),
            ("/v1/%63atalog/", "/v1/catalog/"), ("//", "/"), ("//v1//me///", "/v1/me/"), ("/v1/me//l", "/v1/me/l"),
        ] { #expect(try condition(#"{"prefix":"\#(given)"}"#) == .prefix(Array(meant.utf8))) }
        #expect(try condition(#"{"url":"http://h"}"#) == .target(Array("/".utf8)))
        #expect(try condition(#"{"url":"http://h?a=1"}"#) == condition(#"{"url":"/?a=1"}"#))
    }

    @Test func aResourceIsNumberedAsItsMentionsAre() throws {
        let selection = try request(#"{"resource":"playlists:pl.a:b-C_1","storefront":"gb"}"#).selection
        #expect(selection.conditions.count == 2)
        #expect(selection.conditions.contains(.storefront(Array("gb".utf8))))
        let number = ResourceMention.number(type: "playlists", id: "pl.a:b-C_1")
        #expect(selection.conditions.contains(.resource(number)))
        // A document that may name anything is found by every resource.
        #expect(ResourceMention.everything == StoredResponse.everyResource)
    }

    @Test(arguments: [
        ("", "Expected a JSON object"), ("[]", "Expected a JSON object"), ("{", "Expected a JSON object"),
        ("{}", "No selector is given"), (#"{"all":false}"#, "No selector is given"),
        (#"{"hard":true}"#, "No selector is given"),
        (#"{"all":true,"url":"/a"}"#, "all: "), (#"{"all":true,"storefront":"us"}"#, "all: "),
        (#"{"all":1}"#, "all: expected true or false"), (#"{"hard":"yes","all":true}"#, "hard: expected true or false"),
        (#"{"dry_run":null,"all":true}"#, "dry_run: expected"), (#"{"url":1}"#, "url: expected a string"),
        (#"{"url":""}"#, "url: "), (#"{"url":"v1"}"#, "url: "), (#"{"url":"ftp://h/a"}"#, "url: "),
        (#"{"url":"http:///a"}"#, "url: "), (#"{"url":"/a/../b"}"#, "url: "), (#"{"url":"/a#b"}"#, "url: "),
        (#"{"url":"/%zz"}"#, "url: "), (#"{"prefix":""}"#, "prefix: "), (#"{"prefix":"v1"}"#, "prefix: "),
        (#"{"prefix":"/a?b"}"#, "prefix: "), (#"{"prefix":"//.."}"#, "prefix: "), (#"{"prefix":"/a%"}"#, "prefix: "),
        (#"{"storefront":"usa"}"#, "storefront: "), (#"{"storefront":"US"}"#, "storefront: "),
        (#"{"storefront":""}"#, "storefront: "), (#"{"resource":"songs"}"#, "resource: "),
        (#"{"resource":"songs:"}"#, "resource: "), (#"{"resource":":1"}"#, "resource: "),
        (#"{"resource":"Songs:1"}"#, "resource: "), (#"{"resource":"songs:1 2"}"#, "resource: "),
        (#"{"resource":"songs:1,songs:2"}"#, "resource: expected one TYPE:ID"),
        (#"{"all":true,"all":true}"#, "A member is given twice"), (#"{"urls":"/a"}"#, "urls: unknown"),
        (#"{"a\"b":"/a"}"#, "A member: unknown"),
        (#"{"all":true,"wait":0}"#, "wait: expected true or false"),
        (#"{"all":true,"wait":"false"}"#, "wait: expected true or false"),
        (#"{"all":true,"wait":null}"#, "wait: expected true or false"), (#"{"wait":false}"#, "No selector is given"),
        (#"{"all":true,"wait":false,"dry_run":true}"#, "wait: expected true with dry_run"),
    ])
    func refusalsNameTheMember(content: String, beginning: String) {
        #expect(refusal(content)?.hasPrefix(beginning) == true, "\(refusal(content) ?? "taken")")
    }

    /// Details are in JSON as they are.
    @Test(arguments: [1, 2] as [UInt64])
    func aRefusalRepeatsNothingThatWouldHaveToBeEscaped(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var content = Array(#"{"prefix":"/v1/catalog/us/","hard":true,"dry_run":false}"#.utf8)
            for _ in 0..<3 {
                content[Int.random(in: content.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let error = thrown { () throws(AdminRequestError) in try PurgeRequest(content) }
            let detail = error?.detail ?? ""
            #expect(detail.utf8.allSatisfy { 0x20..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }, "seed \(seed)")
        }
    }
}

@Suite struct QueryParametersTests {
    private func value(_ query: String?) throws -> String? { try QueryParameters(query, known: ["a", "url"])["a"] }

    @Test(arguments: [
        ("a=b", "b"), ("a=%2Fv1%3Fb%3D1%26c", "/v1?b=1&c"), ("a=x+y", "x+y"), ("url=1&a=", ""), ("a=b=c", "b=c"),
        ("&a=1&&", "1"), ("%61=%C3%a4", "ä"),
    ]) func isDecoded(_ query: String, _ expected: String) throws {
        #expect(try value(query) == expected)
    }

    @Test func absentParametersAndFormsAreRead() throws {
        #expect(try value(nil) == nil && value("") == nil && value("url=1") == nil)
        #expect(try QueryParameters(form: Array("a=x+y%2Bz".utf8), known: ["a"])["a"] == "x y+z")
        #expect(throws: AdminRequestError.self) { try QueryParameters(form: [0x61, 0x3D, 0xFF], known: ["a"]) }
    }

    @Test(arguments: ["a", "a=%", "a=%2", "a=%zz", "a=%FF", "a=1&a=1", "b=1", "=1", "A=1", "a%00=1"])
    func malformedUnknownAndRepeatedParametersAreRefused(_ query: String) {
        #expect(throws: AdminRequestError.self) { try value(query) }
    }

    @Test func numbersAndFlagsAreHeldToTheirRange() throws {
        func number(_ text: String) throws -> Int {
            try QueryParameters("a=" + text, known: ["a"]).number("a", in: 1...9, standard: 5)
        }
        #expect(try number("1") == 1 && number("9") == 9)
        #expect(try QueryParameters(nil, known: ["a"]).number("a", in: 1...9, standard: 5) == 5)
        for wrong in ["0", "10", "-1", "%2B1", "", "99999999999999999999", "1.0"] {
            #expect(throws: AdminRequestError.self, "\(wrong)") { try number(wrong) }
        }
        func flag(_ query: String?) throws -> Bool { try QueryParameters(query, known: ["a"]).flag("a") }
        #expect(try flag("a=1") && flag("a=true") && !flag("a=0") && !flag("a=false") && !flag(nil))
        #expect(throws: AdminRequestError.self) { try flag("a=yes") }
    }
}
