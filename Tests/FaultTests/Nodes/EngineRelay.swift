import Foundation
import Synchronization
import TestSupport

/// A relay between a node and the engine that changes the engine's replies as a test wants.
final class EngineRelay: Sendable {
    enum Manner: Sendable, Equatable {
        case passing
        /// Every connection ends, and no new one is made.
        case cut
        /// The engine's bytes come this many milliseconds late.
        case late(UInt32)
        /// Random bytes come in place of the engine's.
        case garbage
        /// The first half of the engine's bytes comes, and then the connection ends.
        case halves
        /// One reply of five does not come: all that follow are taken for others.
        case swallowing
        /// One reply of five comes twice.
        case doubling
    }

    private struct Link {
        let near: RawSocket
        let far: RawSocket
    }

    private struct State {
        var manner = Manner.passing
        var links: [Int: Link] = [:]
    }

    private let listener: RawListener
    private let target: UInt16
    private let state = Mutex(State())

    /// - Parameter target: the engine's port.
    init(to target: UInt16, seed: UInt64) throws {
        self.target = target
        listener = try RawListener()
        listener.start { [self] near, number in carry(near, number, SeededGenerator(seed: seed &+ UInt64(number))) }
    }

    var port: UInt16 { listener.port }

    /// Changes the relay's manner, and ends all connections: the next ones are new.
    func become(_ manner: Manner) {
        state.withLock { state in
            state.manner = manner
            for link in state.links.values { Self.end(link) }
        }
    }

    /// Ends the listener and all connections.
    func stop() {
        listener.stop()
        become(.cut)
    }

    private static func end(_ link: Link) {
        link.near.end()
        link.far.end()
    }

    private func carry(_ near: RawSocket, _ number: Int, _ generator: SeededGenerator) {
        guard let far = RawSocket.connected(to: target) else { return }
        let link = Link(near: near, far: far)
        let isWelcome = state.withLock { state in
            if state.manner != .cut { state.links[number] = link }
            return state.manner != .cut
        }
        if isWelcome {
            concurrently(2) { [self] side in
                if side == 0 { Self.passCommands(link) } else { passReplies(link, generator) }
                Self.end(link)
            }
        }
        state.withLock { $0.links[number] = nil }
        far.close()
    }

    private static func passCommands(_ link: Link) {
        while let bytes = link.near.receive(), !bytes.isEmpty, link.far.send(bytes) {}
    }

    private func passReplies(_ link: Link, _ generator: SeededGenerator) {
        var generator = generator
        var held: [UInt8] = []
        while let bytes = link.far.receive(), !bytes.isEmpty {
            var sent = bytes
            switch state.withLock({ $0.manner }) {
            case .passing: break
            case .cut: return
            case .late(let milliseconds): usleep(milliseconds * 1_000)
            case .garbage: sent = bytes.map { _ in UInt8.random(in: 0...255, using: &generator) }
            case .halves:
                _ = link.near.send(Array(bytes.prefix(bytes.count / 2)))
                return
            case .swallowing: sent = Self.shifted(bytes, &held, times: 0, &generator)
            case .doubling: sent = Self.shifted(bytes, &held, times: 2, &generator)
            }
            guard link.near.send(sent) else { return }
        }
    }

    /// Returns the complete replies so far; one in five of them `times` times.
    private static func shifted(
        _ bytes: [UInt8], _ held: inout [UInt8], times: Int, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        held += bytes
        var passed: [UInt8] = []
        while let length = replyLength(held[...]) {
            let count = Int.random(in: 0..<5, using: &generator) == 0 ? times : 1
            for _ in 0..<count { passed += held.prefix(length) }
            held.removeFirst(length)
        }
        return passed
    }

    /// Returns the length of the first reply (RESP2); nil if it is not complete.
    static func replyLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let end = bytes.firstIndex(of: 10) else { return nil }
        var length = end + 1 - bytes.startIndex
        let number = Int(String(decoding: bytes[(bytes.startIndex + 1)..<(end - 1)], as: UTF8.self)) ?? 0
        switch bytes.first {
        case UInt8(ascii: "$"): length += number < 0 ? 0 : number + 2
        case UInt8(ascii: "*"):
            for _ in 0..<max(0, number) {
                guard let next = replyLength(bytes.dropFirst(length)) else { return nil }
                length += next
            }
        default: break
        }
        return length <= bytes.count ? length : nil
    }
}
