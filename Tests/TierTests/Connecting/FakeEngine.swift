import Foundation
import Synchronization

@testable import Tier

/// An engine on 127.0.0.1 that does what a test says, however rude: one plain blocking thread a
/// connection, so that what it does owes nothing to the code under test but the reading of
/// commands.
final class FakeEngine: Sendable {
    /// What it does with a command.
    enum Act: Sendable {
        case send([UInt8])
        /// Waits until the test opens the gate.
        case wait(DispatchSemaphore)
        case close
        /// Takes all that comes and says nothing any more.
        case hold

        static func send(_ text: String) -> Act { .send(Array(text.utf8)) }
    }

    /// Of a command: the number of its connection, from 0, and its words.
    typealias Behaviour = @Sendable (_ connection: Int, _ words: [String]) -> [Act]

    private struct Record {
        var commands: [[String]] = []
        var connections = 0
        var ended = 0
    }

    let port: UInt16
    private let descriptor: CInt
    private let behaviour: Behaviour
    private let record = Mutex(Record())

    init(_ behaviour: @escaping Behaviour) throws {
        self.behaviour = behaviour
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends the listener; connections go on.
    func stop() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    var endpoint: TierEndpoint { TierEndpoint(isTLS: false, host: "127.0.0.1", port: port) }
    /// Every command of every connection, in the order in which they came, but for the greetings.
    var commands: [[String]] {
        record.withLock { $0.commands }.filter { !["AUTH", "CLIENT", "ROLE"].contains($0[0]) }
    }
    var greetings: Int { record.withLock { $0.commands }.filter { $0 == ["ROLE"] }.count }
    var connectionCount: Int { record.withLock { $0.connections } }
    var endedConnections: Int { record.withLock { $0.ended } }

    /// What a master says to the greeting, and to `ECHO` with what is to be echoed.
    @Sendable static func master(_ connection: Int, _ words: [String]) -> [Act] {
        switch words[0] {
        case "ROLE": [.send("*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n")]
        case "ECHO": [.send(RESPReply.bulk(words[1]).wire)]
        default: [.send("+OK\r\n")]
        }
    }

    private func accept() {
        while true {
            let client = Foundation.accept(descriptor, nil, nil)
            guard client >= 0 else { break }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let number = record.withLock { record in
                record.connections += 1
                return record.connections - 1
            }
            Thread.detachNewThread { [self] in
                serve(client, number)
                close(client)
                record.withLock { $0.ended += 1 }
            }
        }
        close(descriptor)
    }

    private func serve(_ client: CInt, _ number: Int) {
        var reader = RESPReader()
        while let bytes = receive(client), !bytes.isEmpty {
            var offset = 0
            while offset < bytes.count {
                guard let step = try? reader.read(bytes.span.extracting(offset...)) else { return }
                offset += step.consumed
                guard let words = step.reply?.elements?.compactMap(\.bytes) else { continue }
                let command = words.map { String(decoding: $0, as: UTF8.self) }
                record.withLock { $0.commands.append(command) }
                for act in behaviour(number, command) {
                    guard perform(act, client) else { return }
                }
            }
        }
    }

    /// False where the connection has ended.
    private func perform(_ act: Act, _ client: CInt) -> Bool {
        switch act {
        case .send(let bytes):
            return send(bytes, client)
        case .wait(let gate):
            gate.wait()
            return true
        case .close:
            return false
        case .hold:
            while let bytes = receive(client), !bytes.isEmpty {}
            return false
        }
    }

    private func receive(_ client: CInt) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(client, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    private func send(_ bytes: [UInt8], _ client: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(client, $0.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
