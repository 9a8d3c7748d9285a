import EventLoop
import Foundation
import Synchronization
import TestSupport

@testable import Tier

/// An engine on the loopback that does as a test says, with a blocking thread for each connection.
final class FakeEngine: Sendable {
    enum Act: Sendable {
        case send([UInt8])
        case wait(DispatchSemaphore)
        /// Takes all that comes and says nothing any more.
        case hold

        static func send(_ text: String) -> Act { .send(Array(text.utf8)) }
    }

    /// Has the number of the connection, from 0, and the words of the command.
    typealias Behaviour = @Sendable (_ connection: Int, _ words: [String]) -> [Act]

    private let listener: RawListener
    private let behaviour: Behaviour
    private let received = Mutex<[[String]]>([])

    init(on host: UInt8 = 1, port: UInt16 = 0, _ behaviour: @escaping Behaviour) throws {
        self.behaviour = behaviour
        listener = try RawListener(on: host, port: port)
        listener.start { [self] client, number in serve(client, number) }
    }

    /// Ends the listener; connections go on.
    func stop() { listener.stop() }

    var port: UInt16 { listener.port }
    var endpoint: Endpoint { Endpoint(isTLS: false, host: "127.0.0.1", port: port) }

    /// Every command of every connection, in the order in which they came, but for the greetings.
    var commands: [[String]] {
        received.withLock { $0 }.filter {
            !["AUTH", "CLIENT", "ROLE"].contains($0[0]) && $0 != ["MGET", "refrain:{refrain}:epoch"]
        }
    }
    var connectionCount: Int { listener.connectionCount }
    var endedConnections: Int { listener.endedConnections }

    /// Answers the greeting as a master does, and `ECHO` with its argument.
    @Sendable static func master(_ connection: Int, _ words: [String]) -> [Act] {
        switch words[0] {
        case "ROLE": [.send("*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n")]
        case "ECHO": [.send(RESPReply.bulk(words[1]).wire)]
        default: [.send("+OK\r\n")]
        }
    }

    private func serve(_ client: RawSocket, _ number: Int) {
        var reader = RESPReader()
        while let bytes = client.receive(), !bytes.isEmpty {
            var offset = 0
            while offset < bytes.count {
                guard let step = try? reader.read(bytes.span.extracting(offset...)) else { return }
                offset += step.consumed
                guard let words = step.reply?.elements?.compactMap(\.bytes) else { continue }
                let command = words.map { String(decoding: $0, as: UTF8.self) }
                received.withLock { $0.append(command) }
                for act in behaviour(number, command) {
                    guard perform(act, client) else { return }
                }
            }
        }
    }

    /// False where the connection has ended.
    private func perform(_ act: Act, _ client: RawSocket) -> Bool {
        switch act {
        case .send(let bytes):
            return client.send(bytes)
        case .wait(let gate):
            gate.wait()
            return true
        case .hold:
            client.receiveToEnd()
            return false
        }
    }
}
