import Foundation
import Synchronization

/// An origin on 127.0.0.1 that does what a script says, however rude: one plain blocking thread a
/// connection, so that what it does owes nothing to the code under test.
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
        /// Reads a request and sends what the function makes of it, until the client closes or the
        /// function returns nil.
        case serve(@Sendable (String) -> [UInt8]?)
        /// Reads requests and does for each what the function makes of it, until the client closes
        /// or one of those steps ends the connection.
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
        var requests: [[String]] = []
        var sentBytes = 0
        var endedConnections = 0
    }

    public let port: UInt16
    private let descriptor: CInt
    private let scripts: [[Step]]
    private let record = Mutex(Record())

    /// The first connection plays the first script, and so on; the last script is played again by
    /// all that follow. A connection closes at the end of its script.
    public init(_ scripts: [Step]...) throws {
        self.scripts = scripts
        // A program that a test starts meanwhile must not hold a connection open.
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

    /// Ends the listener; connections play on. Without this call the thread and the port live as
    /// long as the process.
    public func stop() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// The requests of each connection, as text.
    public var requests: [[String]] { record.withLock { $0.requests } }
    public var connectionCount: Int { record.withLock { $0.requests.count } }
    /// Connections whose script has ended.
    public var endedConnections: Int { record.withLock { $0.endedConnections } }
    /// Bytes that the kernel has taken for the clients.
    public var sentBytes: Int { record.withLock { $0.sentBytes } }

    private func accept() {
        while true {
            let client = Foundation.accept(descriptor, nil, nil)
            guard client >= 0 else { break }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            let index = record.withLock { record in
                record.requests.append([])
                return record.requests.count - 1
            }
            Thread.detachNewThread { [self] in
                play(scripts[min(index, scripts.count - 1)], index, client)
                record.withLock { $0.endedConnections += 1 }
            }
        }
        close(descriptor)
    }

    private func play(_ script: [Step], _ index: Int, _ client: CInt) {
        defer { close(client) }
        perform(script, index, client)
    }

    /// False where the connection has ended.
    @discardableResult private func perform(_ script: [Step], _ index: Int, _ client: CInt) -> Bool {
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
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                return false
            case .hold:
                while let bytes = receive(client), !bytes.isEmpty {}
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
            record.withLock { $0.sentBytes += count }
        }
        return true
    }

    /// Byte by byte up to the end of the head, so that nothing of a next request is taken.
    private func read(_ index: Int, _ client: CInt, content: Bool) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(client, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        var remaining = content ? Self.contentLength(String(decoding: bytes, as: UTF8.self)) : 0
        while remaining > 0 {
            var buffer = [UInt8](repeating: 0, count: min(remaining, 65536))
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            remaining -= count
        }
        let text = String(decoding: bytes, as: UTF8.self)
        record.withLock { $0.requests[index].append(text) }
        return text
    }

    private static func contentLength(_ head: String) -> Int {
        for line in head.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return 0
    }
}
