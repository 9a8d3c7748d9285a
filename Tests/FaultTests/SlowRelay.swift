import Foundation
import Synchronization
import TestSupport

/// Passes on what two sides say to each other, but late, in small pieces and with stalls.
final class SlowRelay: Sendable {
    struct Manner: Sendable {
        /// Of each byte, in each direction.
        var delay: Duration
        /// Of a hundred pieces of at most 1,460 bytes, so many are held up.
        var stalls: Int
        /// The longest time for which one is.
        var longest: Duration
    }

    let port: UInt16
    private let descriptor: CInt
    private let target: UInt16
    private let manner: Manner
    private let seed: UInt64
    private let stalls = Atomic(0)

    /// - Parameter target: the port that connections are passed on to.
    init(to target: UInt16, _ manner: Manner, seed: UInt64) throws {
        (self.target, self.manner, self.seed) = (target, manner, seed)
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.descriptor = descriptor
        var (address, length) = (Self.loopback(0), socklen_t(MemoryLayout<sockaddr_in>.size))
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

    /// So many pieces were held up.
    var stallCount: Int { stalls.load(ordering: .relaxed) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private func accept() {
        var generator = SeededGenerator(seed: seed)
        while true {
            let near = Foundation.accept(descriptor, nil, nil)
            guard near >= 0 else { break }
            _ = fcntl(near, F_SETFD, FD_CLOEXEC)
            let far = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = Self.loopback(target)
            let isConnected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                close(near)
                close(far)
                continue
            }
            let seeds = (generator.next(), generator.next())
            Thread.detachNewThread { [self] in
                concurrently(2) { [self] number in
                    if number == 0 { pass(near, far, seeds.0) } else { pass(far, near, seeds.1) }
                }
                close(near)
                close(far)
            }
        }
        close(descriptor)
    }

    /// One direction, until its end.
    private func pass(_ from: CInt, _ to: CInt, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pieces: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
        var hasEnded = false
        while !hasEnded || !pieces.isEmpty {
            let wait = pieces.first.map { max(.zero, $0.due - .now) } ?? .seconds(3_600)
            // What is on its way is bounded, as on a link.
            let reads = !hasEnded && pieces.count < 64
            var poller = pollfd(fd: reads ? from : -1, events: Int16(POLLIN), revents: 0)
            if poll(&poller, 1, CInt((wait / .milliseconds(1)).rounded(.up))) > 0 {
                var bytes = [UInt8](repeating: 0, count: 1_460)
                let count = recv(from, &bytes, bytes.count, 0)
                guard count >= 0 else { return cut(from, to) }
                hasEnded = count == 0
                // The end takes as long as the bytes before it.
                pieces.append((due(pieces.last?.due, &generator), Array(bytes[..<count])))
            }
            while let first = pieces.first, first.due <= .now {
                pieces.removeFirst()
                guard send(first.bytes, to) else { return cut(from, to) }
            }
        }
        shutdown(to, CInt(SHUT_WR))
    }

    /// When a piece that has come now arrives.
    /// - Parameter last: when the one before it does.
    private func due(
        _ last: ContinuousClock.Instant?, _ generator: inout SeededGenerator
    ) -> ContinuousClock.Instant {
        let due = max(.now + manner.delay, last ?? .now)
        guard Int.random(in: 0..<100, using: &generator) < manner.stalls else { return due }
        stalls.add(1, ordering: .relaxed)
        return due + manner.longest * Double.random(in: 0..<1, using: &generator)
    }

    private func send(_ bytes: [UInt8], _ to: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(to, $0.baseAddress! + sent, $0.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// One side has gone: both end, with a reset.
    private func cut(_ from: CInt, _ to: CInt) {
        for side in [from, to] {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(side, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            shutdown(side, CInt(SHUT_RD))
        }
    }
}
