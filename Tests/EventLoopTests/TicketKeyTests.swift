import COpenSSL
import TestSupport
import Testing

@testable import EventLoop

/// Scripts of keys and times.
@Suite struct TicketScheduleTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func after(_ minutes: Int) -> Instant { start + .seconds(60 * minutes) }

    @Test func aKeySealsForAnHourAndOpensWhileItsTicketsLive() {
        var schedule = TicketSchedule()
        #expect(schedule.needsKey(at: start))
        schedule.begin(at: start)
        #expect(!schedule.needsKey(at: after(59)) && schedule.needsKey(at: after(60)))
        schedule.begin(at: after(60))
        #expect(!schedule.needsKey(at: after(60)) && schedule.births == [after(60), start])
        #expect(schedule.opens(1, at: after(179)) && !schedule.opens(1, at: after(180)))
        #expect(schedule.opens(0, at: after(180)))
    }

    @Test func whatIsOlderThanTheMostGoes() {
        var schedule = TicketSchedule()
        for hour in 0..<10 { schedule.begin(at: after(60 * hour)) }
        #expect(schedule.births == [9, 8, 7, 6].map { after(60 * $0) })
        // Each that may still open is among them.
        #expect(!schedule.opens(3, at: after(60 * 9)) && schedule.opens(2, at: after(60 * 9)))
    }

    /// They went only when four newer ones had come: in a process without clients, never.
    @Test func keysThatOpenNoMoreAreDropped() {
        var schedule = TicketSchedule()
        for hour in 0..<3 { schedule.begin(at: after(60 * hour)) }
        let early = schedule.dropEnded(at: after(179))
        #expect(!early && schedule.births.count == 3)
        let first = schedule.dropEnded(at: after(180))
        #expect(first && schedule.births == [after(120), after(60)])
        let last = schedule.dropEnded(at: after(300))
        #expect(last && schedule.births.isEmpty && schedule.needsKey(at: after(300)))
    }

    @Test func keysOfAnotherProcessAreInOrderAndOfThePast() {
        let now = after(60)
        #expect(TicketSchedule(births: [after(60), after(3), after(3), start], at: now)?.births.count == 4)
        for births in [[], [after(61)], [start, after(1)], Array(repeating: start, count: 5)] {
            #expect(TicketSchedule(births: births, at: now) == nil, "\(births)")
        }
    }
}

@Suite struct TicketKeyMemoryTests {
    @Test func onlyTheFirstKeysAreKept() throws {
        let memory = try TicketKeyMemory()
        for _ in 0..<TicketSchedule.mostKeys {
            let isMade = memory.makeFirst()
            #expect(isMade)
        }
        let kept = Array(memory[0])
        memory.keepFirst(1)
        #expect(Array(memory[0]) == kept && kept.contains { $0 != 0 })
        for index in 1..<TicketSchedule.mostKeys { #expect(memory[index].allSatisfy { $0 == 0 }) }
        memory.keepFirst(0)
        #expect(memory[0].allSatisfy { $0 == 0 })
    }
}

@Suite struct TicketKeysTests {
    /// OpenSSL's contexts of a handshake.
    private final class Contexts {
        let cipher = EVP_CIPHER_CTX_new()
        let mac: OpaquePointer?

        init() {
            let algorithm = EVP_MAC_fetch(nil, "HMAC", nil)
            mac = EVP_MAC_CTX_new(algorithm)
            EVP_MAC_free(algorithm)
        }

        deinit {
            EVP_CIPHER_CTX_free(cipher)
            EVP_MAC_CTX_free(mac)
        }
    }

    private let contexts = Contexts()
    private let start = Instant.now()

    private static func keys(_ identity: UInt8 = 1) throws -> TicketKeys {
        try TicketKeys(identity: [UInt8](repeating: identity, count: 32))
    }

    /// The name of the key that seals now.
    private func seal(_ keys: TicketKeys, after minutes: Int = 0) -> [UInt8] {
        var (name, iv) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16))
        let isSealed = name.withUnsafeMutableBytes { name in
            iv.withUnsafeMutableBytes {
                keys.seal(name, $0, contexts.cipher, contexts.mac, at: start + .seconds(60 * minutes))
            }
        }
        #expect(isSealed && name.contains { $0 != 0 } && iv.contains { $0 != 0 })
        return name
    }

    private func open(_ keys: TicketKeys, _ name: [UInt8], after minutes: Int = 0) -> TicketKeys.Opening {
        let iv = [UInt8](repeating: 7, count: 16)
        return name.withUnsafeBytes { name in
            iv.withUnsafeBytes {
                keys.open(name, $0, contexts.cipher, contexts.mac, at: start + .seconds(60 * minutes))
            }
        }
    }

    /// As another process has them.
    private func handed(_ keys: TicketKeys, after minutes: Int = 0, _ change: (inout [UInt8]) -> Void = { _ in })
        -> TicketKeys?
    {
        let now = start + .seconds(60 * minutes)
        var bytes = keys.withBytes(at: now) { Array($0) }
        #expect(bytes.count <= TicketKeys.mostBytes)
        change(&bytes)
        return bytes.withUnsafeBytes { TicketKeys($0, at: now) }
    }

    /// The keys that would be handed on.
    private func count(_ keys: TicketKeys, after minutes: Int) -> Int {
        let bytes = keys.withBytes(at: start + .seconds(60 * minutes)) { $0.count }
        return bytes == 0 ? 0 : (bytes - 32) / ((TicketKeys.mostBytes - 32) / TicketSchedule.mostKeys)
    }

    @Test func aTicketIsTakenUntilItsEnd() throws {
        let keys = try Self.keys()
        let first = seal(keys)
        #expect(seal(keys, after: 59) == first)
        #expect(open(keys, first, after: 59) == .current && open(keys, first, after: 60) == .former)
        let second = seal(keys, after: 61)
        #expect(second != first && open(keys, first, after: 61) == .former)
        #expect(open(keys, second, after: 61) == .current)
        #expect(open(keys, first, after: 179) == .former && open(keys, first, after: 180) == .unknown)
        #expect(open(keys, [UInt8](repeating: 0, count: 16)) == .unknown, "an empty place is no key")
        #expect(open(try Self.keys(), first) == .unknown)
        // Bounded, however long it runs.
        for hour in 2..<12 { _ = seal(keys, after: 60 * hour) }
        #expect(count(keys, after: 60 * 11) == 3)
    }

    /// They were handed on to each successor, and lay in memory meanwhile.
    @Test func keysThatOpenNoMoreAreNotHandedOn() throws {
        let keys = try Self.keys()
        _ = seal(keys)
        _ = seal(keys, after: 60)
        #expect(count(keys, after: 179) == 2 && count(keys, after: 180) == 1)
        #expect(count(keys, after: 179) == 1, "it is gone for good")
        keys.dropEnded(at: start + .seconds(60 * 240))
        #expect(count(keys, after: 0) == 0 && handed(keys, after: 240) == nil)
        _ = seal(keys, after: 240)
        #expect(count(keys, after: 240) == 1)
    }

    @Test func anotherProcessOpensWhatThisOneHasSealed() throws {
        let keys = try Self.keys(9)
        let names = [seal(keys), seal(keys, after: 61)]
        let other = try #require(handed(keys, after: 62))
        #expect(other.identity == keys.identity)
        #expect(open(other, names[0], after: 62) == .former && open(other, names[1], after: 62) == .current)
        #expect(seal(other, after: 62) == names[1], "it goes on with the same key")
        #expect(open(other, names[0], after: 180) == .unknown, "their age goes over too")
    }

    @Test func otherBytesAreNoKeys() throws {
        let keys = try Self.keys()
        #expect(keys.withBytes { $0.count } == 0)
        #expect(handed(keys) == nil)
        _ = seal(keys)
        #expect(handed(keys) != nil)
        #expect(handed(keys) { $0.removeLast() } == nil)
        #expect(handed(keys) { $0.append(0) } == nil)
        #expect(handed(keys) { $0 = Array($0.prefix(32)) } == nil)
        #expect(handed(keys) { $0[32] = 0x7F } == nil, "made in the future")
        #expect(handed(keys) { $0 += Array(repeating: $0.dropFirst(32), count: 4).joined() } == nil)
    }
}

/// A reload made new keys: each client had to shake hands in full.
@Suite struct TicketTests: LoopSuite {
    let scene = LoopScene()
    private let authority: ThrowawayAuthority

    init() throws { authority = try ThrowawayAuthority() }

    /// Offers a session, if any, and takes the next.
    private func connect(
        _ tls: ServerTLS, _ version: CInt, _ session: OpaquePointer? = nil
    ) throws -> (isResumed: Bool, session: OpaquePointer?) {
        let peer = try TLSPeer(port: TestServer(loop: loop, tls: tls).port, version: version, resuming: session)
        try peer.shakeHands()
        try peer.socket.send(peer.record(Array("ping".utf8)))
        #expect(peer.read(4) == Array("ping".utf8))
        return (peer.isResumed, peer.takeSession())
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func ticketsOutliveWhatLeavesTheKeyAsItIs(_ version: CInt) throws {
        let (leaf, other) = (try authority.issue(hosts: ["localhost"]), try authority.issue(hosts: ["localhost"]))
        let first = try ServerTLS(leaf: leaf)
        let begun = try connect(first, version)
        #expect(!begun.isResumed)
        let reloaded = try ServerTLS(leaf: leaf, continuing: first.ticketKeys)
        let again = try connect(reloaded, version, begun.session)
        #expect(again.isResumed)
        // Another process.
        let bytes = reloaded.ticketKeys.withBytes { Array($0) }
        let handed = try #require(bytes.withUnsafeBytes { TicketKeys($0) })
        let upgraded = try connect(try ServerTLS(leaf: leaf, continuing: handed), version, again.session)
        #expect(upgraded.isResumed)
        // Another key: the client shakes hands in full, and is served.
        let renewed = try ServerTLS(leaf: other, continuing: handed)
        #expect(renewed.ticketKeys !== handed)
        let full = try connect(renewed, version, upgraded.session)
        #expect(!full.isResumed)
        let strange = try connect(try ServerTLS(leaf: leaf), version, full.session)
        #expect(!strange.isResumed, "other ticket keys")
        if let session = strange.session { SSL_SESSION_free(session) }
    }

    /// The secrets alone would let it: the session id context does not.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aSessionDoesNotCrossToAnotherIdentity(_ version: CInt) throws {
        let (leaf, other) = (try authority.issue(hosts: ["localhost"]), try authority.issue(hosts: ["localhost"]))
        let first = try ServerTLS(leaf: leaf)
        let begun = try connect(first, version)
        let identity = try ServerTLS(leaf: other).ticketKeys.identity
        let bytes = identity + first.ticketKeys.withBytes { Array($0) }.dropFirst(identity.count)
        let forged = try #require(bytes.withUnsafeBytes { TicketKeys($0) })
        let second = try ServerTLS(leaf: other, continuing: forged)
        #expect(second.ticketKeys === forged)
        let crossed = try connect(second, version, begun.session)
        #expect(!crossed.isResumed)
        if let session = crossed.session { SSL_SESSION_free(session) }
    }
}
