import Foundation
import Synchronization
import TestSupport

/// Passes bytes on between two sides, but late, in small pieces and with stalls.
final class SlowRelay: Sendable {
    struct Manner: Sendable {
        /// The delay of each byte, in each direction.
        var delay: Duration
        /// The number of pieces in a hundred that are held up; a piece has at most 1,460 bytes.
        var stalls: Int
        /// The longest time for which one is.
        var longest: Duration
    }

    private let listener: RawListener
    private let manner: Manner
    private let stalls = Atomic(0)

    /// - Parameter target: the port that connections are passed on to.
    init(to target: UInt16, _ manner: Manner, seed: UInt64) throws {
        self.manner = manner
        listener = try RawListener()
        listener.start { [self] near, number in
            guard let far = RawSocket.connected(to: target) else { return }
            var generator = SeededGenerator(seed: seed &+ UInt64(number) << 8)
            let seeds = [generator.next(), generator.next()]
            concurrently(2) { [self] side in
                if side == 0 { pass(near, far, seeds[0]) } else { pass(far, near, seeds[1]) }
            }
            far.close()
        }
    }

    var port: UInt16 { listener.port }

    /// Ends the listener; connections go on.
    func stop() { listener.stop() }

    /// The number of pieces that were held up.
    var stallCount: Int { stalls.load(ordering: .relaxed) }

    /// One direction, until its end.
    private func pass(_ from: RawSocket, _ to: RawSocket, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pieces: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
        var hasEnded = false
        while !hasEnded || !pieces.isEmpty {
            let wait = pieces.first.map { max(.zero, $0.due - .now) } ?? .seconds(3_600)
            // The number of pieces on their way is bounded, as on a link.
            let reads = !hasEnded && pieces.count < 64
            let source = RawSocket(descriptor: reads ? from.descriptor : -1)
            if source.hasInput(within: CInt((wait / .milliseconds(1)).rounded(.up))) {
                guard let bytes = source.receive(1_460) else { return cut(from, to) }
                hasEnded = bytes.isEmpty
                // The end takes as long as the bytes before it.
                pieces.append((due(pieces.last?.due, &generator), bytes))
            }
            while let first = pieces.first, first.due <= .now {
                pieces.removeFirst()
                guard to.send(first.bytes) else { return cut(from, to) }
            }
        }
        to.end(SHUT_WR)
    }

    /// When a piece that has come now arrives.
    /// - Parameter last: when the one before it does.
    private func due(_ last: ContinuousClock.Instant?, _ generator: inout SeededGenerator) -> ContinuousClock.Instant {
        let due = max(.now + manner.delay, last ?? .now)
        guard Int.random(in: 0..<100, using: &generator) < manner.stalls else { return due }
        stalls.add(1, ordering: .relaxed)
        return due + manner.longest * Double.random(in: 0..<1, using: &generator)
    }

    /// One side has gone: both end, with a reset.
    private func cut(_ from: RawSocket, _ to: RawSocket) {
        for side in [from, to] {
            side.resetAtClose()
            side.end(SHUT_RD)
        }
    }
}
