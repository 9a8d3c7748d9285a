import Foundation
import Synchronization

/// An origin on 127.0.0.1 that does as a script says, however rude. It has one plain blocking
/// thread a connection, and uses none of the code under test.
public final class ScriptedOrigin: Sendable {
    public enum Step: Sendable {
        /// Reads one request: a head and as many bytes as its Content-Length says.
        case request
        /// Reads a head and leaves its content unread.
        case requestHead
        case send([UInt8])
        case sleep(milliseconds: UInt32)
        /// Waits until the test opens the gate.
        case wait(Gate)
        /// Ends our side and closes.
        case close
        /// Closes with a reset.
        case reset
        /// Reads until the client has closed.
        case hold
        /// Reads requests and sends the function's results until the client closes or it gives nil.
        case serve(@Sendable (String) -> [UInt8]?)
        /// Reads requests and takes the function's steps for each, until the client closes or one
        /// of those steps ends the connection.
        case perform(@Sendable (String) -> [Step])

        public static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    /// Something that the test lets happen.
    public final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        public init() {}
        public func open() { semaphore.signal() }
        fileprivate func wait() { semaphore.wait() }
    }

    private struct Record {
        /// By the number of the connection.
        var requests: [Int: [String]] = [:]
        var sentBytes = 0
    }

    private let listener: RawListener
    private let scripts: [[Step]]
    private let record = Mutex(Record())

    /// The first connection plays the first script, and so on; the last script is played again by
    /// all that follow. A connection closes at the end of its script.
    public init(_ scripts: [Step]...) throws {
        self.scripts = scripts
        listener = try RawListener()
        listener.start { [self] client, index in perform(scripts[min(index, scripts.count - 1)], index, client) }
    }

    public var port: UInt16 { listener.port }

    /// Ends the listener; connections play on. Without this call the thread and the port live as
    /// long as the process.
    public func stop() { listener.stop() }

    /// The requests of each connection, as text.
    public var requests: [[String]] {
        record.withLock { record in (0..<connectionCount).map { record.requests[$0] ?? [] } }
    }
    public var connectionCount: Int { listener.connectionCount }
    /// Connections whose script has ended.
    public var endedConnections: Int { listener.endedConnections }
    /// Bytes that the kernel has taken for the clients.
    public var sentBytes: Int { record.withLock { $0.sentBytes } }

    /// False where the connection has ended.
    @discardableResult private func perform(_ script: [Step], _ index: Int, _ client: RawSocket) -> Bool {
        for step in script {
            switch step {
            case .request:
                guard read(index, client, content: true) != nil else { return false }
            case .requestHead:
                guard read(index, client, content: false) != nil else { return false }
            case .send(let bytes):
                guard send(bytes, client) else { return false }
            case .sleep(let milliseconds):
                usleep(milliseconds * 1000)
            case .wait(let gate):
                gate.wait()
            case .close:
                return false
            case .reset:
                client.resetAtClose()
                return false
            case .hold:
                client.receiveToEnd()
            case .serve(let answer):
                while let request = read(index, client, content: true) {
                    guard let bytes = answer(request), send(bytes, client) else { return false }
                }
            case .perform(let steps):
                while let request = read(index, client, content: true) {
                    guard perform(steps(request), index, client) else { return false }
                }
                return false
            }
        }
        return true
    }

    private func send(_ bytes: [UInt8], _ client: RawSocket) -> Bool {
        client.send(bytes) { count in record.withLock { $0.sentBytes += count } }
    }

    /// Byte by byte up to the end of the head, so that nothing of a next request is taken.
    private func read(_ index: Int, _ client: RawSocket, content: Bool) -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = client.receive(1)?.first else { return nil }
            bytes.append(byte)
        }
        var remaining = content ? Self.contentLength(String(decoding: bytes, as: UTF8.self)) : 0
        while remaining > 0 {
            guard let part = client.receive(min(remaining, 65_536)), !part.isEmpty else { return nil }
            bytes += part
            remaining -= part.count
        }
        let text = String(decoding: bytes, as: UTF8.self)
        record.withLock { $0.requests[index, default: []].append(text) }
        return text
    }

    private static func contentLength(_ head: String) -> Int {
        for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return 0
    }
}
