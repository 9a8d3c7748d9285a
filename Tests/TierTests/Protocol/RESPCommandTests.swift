import Testing

@testable import Tier

@Suite struct RESPCommandTests {
    private func wire(_ command: RESPCommand) -> [UInt8] {
        var bytes: [UInt8] = []
        command.append(to: &bytes)
        return bytes
    }

    @Test func commandIsAnArrayOfBulks() {
        let text = String(decoding: wire(RESPCommand("SET", "key", "ten bytes.")), as: UTF8.self)
        #expect(text == "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$10\r\nten bytes.\r\n")
        let commands = [RESPCommand("GET", "a"), RESPCommand("PING")]
        #expect(RESPCommand.pipeline(commands) == wire(commands[0]) + wire(commands[1]))
        #expect("\(RESPCommand("AUTH", "user", "secret"))" == "AUTH with 2 arguments")
        let words: [[UInt8]] = [
            Array("ECHO".utf8), Array("\r\n*1\r\n$8\r\nFLUSHALL\r\n".utf8), [], (0...255).map { $0 },
        ]
        #expect(ReadReplies(wire(RESPCommand(words))).replies == [.array(words.map { .bulk($0) })])
    }

    @Test(arguments: [1, 9, 10, 11, 99, 100, 101, 12_345]) func itsSizeIsKnownBefore(count: Int) {
        let long = RESPCommand([Array("A".utf8), [UInt8](repeating: 0, count: count)])
        #expect(long.byteCount == wire(long).count)
        let many = RESPCommand([[UInt8]](repeating: [1], count: count))
        #expect(many.byteCount == wire(many).count)
    }
}
