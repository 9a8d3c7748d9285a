import Testing

@Suite struct JSONNodeTests {
    private func node(_ text: String) throws -> JSONNode { try JSONNode.parse(Array(text.utf8)) }

    @Test(arguments: [
        ("{\"a\":1,\"b\":[true,null]}", " { \"b\" : [true , null] , \"a\" : 1 } "), ("\"\\u00e9\\/\"", "\"é/\""),
        ("[]", "[ ]"), ("{}", "{ }"),
    ])
    func equalValuesHaveEqualDigests(one: String, other: String) throws {
        #expect(try node(one).digest == node(other).digest)
    }

    @Test(arguments: [
        ("{\"a\":1}", "{\"a\":2}"), ("{\"a\":\"b\"}", "{\"b\":\"a\"}"), ("[1,2]", "[2,1]"), ("[]", "{}"), ("1", "1.0"),
        ("\"1\"", "1"), ("[[1],2]", "[1,[2]]"), ("{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}"),
    ])
    func othersDoNot(one: String, other: String) throws {
        #expect(try node(one).digest != node(other).digest)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":1}", "[1 2]", "{\"a\" 1}", "\"a", "\"\\x\"", "[] []",
        "\"\u{1}\"",
    ])
    func malformedJSONIsRefused(text: String) {
        #expect(throws: JSONNode.Malformed.self) { try node(text) }
    }
}
