import HTTP
import TestSupport
import Testing

@testable import Proxy

@Suite struct ViaChainTests {
    private let own = ViaChain.Name(0xA)

    private func chain(_ lines: String...) throws -> ViaChain {
        let request = try ParsedRequest(fields: lines.map { Array("Via: \($0)".utf8) })
        return ViaChain(request.head, request.bytes.span)
    }

    private func field(_ chain: ViaChain) -> String {
        var buffer = ByteBuffer(capacity: 64)
        chain.append(own, to: &buffer)
        return String(decoding: buffer.copyReadable(), as: UTF8.self)
    }

    @Test func aProxyAddsItsNameAndSixteenAreALoop() throws {
        #expect(field(ViaChain()) == "Via: 1.1 refrain-000000000000000a\r\n")
        let found = field(try chain("1.1 refrain-000000000000000b"))
        #expect(found == "Via: 1.1 refrain-000000000000000b, 1.1 refrain-000000000000000a\r\n")
        #expect(ViaChain.Name() != ViaChain.Name())
        let others = try chain("1.0 fred, HTTP/2 refrain, 1.1 refrain-xyz", "1.1 Refrain-000000000000000b")
        #expect(others.names.isEmpty && !others.isLoop(at: own))
        // In a circle that others make.
        let names = (0..<16).map { "1.1 " + String(decoding: ViaChain.Name($0 + 100).bytes, as: UTF8.self) }
        #expect(try !chain(names.dropLast().joined(separator: ", ")).isLoop(at: own))
        #expect(try chain(names.joined(separator: ",")).isLoop(at: own))
        #expect(try chain((names + names).joined(separator: ",")).names.count == ViaChain.most)
    }

    @Test(arguments: ["1.1 refrain-000000000000000a", "1.1 edge, HTTP/1.1  refrain-000000000000000a (x), 1.1 other"])
    func aRequestThatComesBackIsALoop(line: String) throws {
        #expect(try chain("1.1 x", line).isLoop(at: own))
        #expect(try !chain(line).isLoop(at: ViaChain.Name(0xB)))
    }
}
