import Foundation
import TestSupport

/// Hands connections on to a port, each behind a header of the PROXY protocol, and knows nothing of
/// what goes through.
final class LoadBalancer: @unchecked Sendable {  // because its threads touch descriptors alone
    private struct CannotListen: Error {}

    let port: UInt16
    private let listening: Int32
    private let target: UInt16
    private let header: [UInt8]
    /// Whether each byte of the header is a segment of its own.
    private let inPieces: Bool

    init(to target: UInt16, header: [UInt8], inPieces: Bool) throws {
        (self.target, self.header, self.inPieces) = (target, header, inPieces)
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listening
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard result else { throw CannotListen() }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let client = accept(listening, nil, nil), client >= 0 {
                Thread.detachNewThread { [self] in relay(client) }
            }
        }
    }

    func stop() { shutdown(listening, Int32(SHUT_RDWR)) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func relay(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { for descriptor in [client, server] { close(descriptor) } }
        var address = Self.loopback(target)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { return }
        for piece in inPieces ? header.map({ [$0] }) : [header] {
            write(server, piece, piece.count)
            if inPieces { usleep(500) }
        }
        while pass(from: client, to: server), pass(from: server, to: client) {}
    }

    /// What has come by now, or comes within a moment; false at the end.
    private func pass(from source: Int32, to sink: Int32) -> Bool {
        var poller = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, 2) > 0 else { return true }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(source, &bytes, bytes.count)
        return count > 0 && write(sink, bytes, count) == count
    }
}
