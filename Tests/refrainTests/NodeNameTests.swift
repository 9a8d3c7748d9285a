import Testing

@testable import refrain

@Suite struct NodeNameTests {
    @Test func aHostsNameIsOneOfANode() throws {
        #expect(try PlainWord.name(NodeName.ofHost, with: NodeName.others) == NodeName.ofHost)
    }

    @Test func forbiddenCharactersAreLeftOut() {
        #expect(NodeName.named(after: "web-1.example") == "web-1.example")
        #expect(NodeName.named(after: "höst name\n") == "hstname")
        #expect(NodeName.named(after: "") == "node" && NodeName.named(after: "é") == "node")
        let longest = String(repeating: "n", count: 63)
        #expect(NodeName.named(after: longest + "n") == longest)
    }
}
