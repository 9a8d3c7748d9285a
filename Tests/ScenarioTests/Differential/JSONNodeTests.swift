import Testing

@Suite struct JSONNodeTests {
    private func node(_ text: String) throws -> JSONNode { try JSONNode.parse(Array(text.utf8)) }

    @Test func equalValuesAloneHaveEqualDigests() throws {
        let values = [
            #"{"a":1,"b":[true,null]}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":2}"#, #"{"b":"a"}"#, #"{"a":"b"}"#, "[1,2]",
            "[2,1]", "[]", "{}", "1", "1.0", "\"1\"", "[[1],2]", "[1,[2]]",
        ]
        #expect(Set(try values.map { try node($0).digest }).count == values.count)
        #expect(try node(" { \"b\" : [true , null] , \"a\" : 1 } ").digest == node(values[0]).digest)
        #expect(throws: JSONNode.RepeatedName.self) { try node("[{\"a\":1,\"a\":1}]") }
    }
}
