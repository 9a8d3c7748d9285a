import Synchronization
import Testing

@testable import EventLoop
@testable import Server

/// Lines and counts of refused clients and of handshakes.
@Suite struct ConnectionRefusalsTests {
    private func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func address(_ host: String) -> SocketAddress? { SocketAddress(host: host, port: 40_000) }

    @Test func aLimitIsSaidAtOnceAndThenOnceAMinuteWithItsCount() {
        let (refusals, lines) = (ConnectionRefusals(), Lines())
        refusals.tell(names: [.address: "connections_per_address 5"], warn: lines.add, inform: { _ in })
        refusals.note(.address, address("192.0.2.7"), at: instant(0))
        #expect(lines.take() == ["connections_per_address 5: a connection from 192.0.2.7 was refused"])
        for _ in 0..<13 { refusals.note(.address, address("192.0.2.8"), at: instant(1)) }
        #expect(lines.take() == [])
        // Limits are told by themselves, and addresses as they are counted.
        refusals.note(.loop, address("2001:db8::1"), at: instant(2))
        #expect(lines.take() == ["20000 connections of one loop: a connection from 2001:db8::/64 was refused"])
        refusals.logSuppressed(at: instant(59))
        #expect(lines.take() == [])
        refusals.logSuppressed(at: instant(60))
        #expect(lines.take() == ["connections_per_address 5: 13 more connections were refused"])
        // A line by the rest is a line.
        refusals.note(.address, address("192.0.2.7"), at: instant(100))
        #expect(lines.take() == [])
        refusals.note(.address, address("192.0.2.9"), "full", at: instant(120))
        #expect(
            lines.take() == [
                "connections_per_address 5: a connection from 192.0.2.9 was refused: full; "
                    + "1 more since the last message"
            ])
        refusals.logSuppressed(at: instant(600))
        #expect(lines.take() == [])
    }

    @Test func handshakesAreSaidByKindAndSilenceIsNot() {
        let (refusals, lines) = (ConnectionRefusals(), Lines())
        refusals.tell(names: [:], warn: { _ in }, inform: lines.add)
        let peer = address("192.0.2.7")
        let distrust = HandshakeFailure(.untrusted, reason: "tlsv1 alert unknown ca")
        refusals.noteHandshake(distrust, peer, at: instant(0))
        #expect(
            lines.take() == [
                "TLS handshake with 192.0.2.7 failed: the client does not trust the certificate "
                    + "(tlsv1 alert unknown ca)"
            ])
        refusals.noteHandshake(distrust, peer, at: instant(1))
        #expect(lines.take() == [])
        refusals.noteHandshake(HandshakeFailure(.name, reason: "r", host: "a.example"), peer, at: instant(1))
        #expect(
            lines.take() == [
                "TLS handshake with 192.0.2.7 failed: the certificate does not name the host that the client "
                    + "asked for (a.example: r)"
            ])
        refusals.noteHandshake(HandshakeFailure(.silent), peer, at: instant(1))
        #expect(lines.take() == [])
        refusals.logSuppressed(at: instant(61))
        #expect(lines.take() == ["1 more TLS handshake failed: the client does not trust the certificate"])
    }

    /// The log had "an unknown address" for connections of a load balancer without their header.
    @Test func aConnectionWithoutItsHeaderIsRefusedWithTheAddressOfItsSender() {
        let lines = Lines()
        let census = ConnectionCensus(most: 1)
        census.refusals.tell(names: [.descriptors: "64 connections"], warn: lines.add, inform: lines.add)
        let balancer = address("192.0.2.1")
        #expect(census.enter(from: nil, sentBy: balancer, at: instant(0)))
        #expect(!census.enter(from: nil, sentBy: balancer, at: instant(1)))
        #expect(lines.all == ["64 connections: a connection from 192.0.2.1 was refused"])
    }

    @Test func countsOutliveAReloadAndLinesGoToTheNewTakers() {
        let (first, second) = (Lines(), Lines())
        let census = ConnectionCensus(most: 1)
        let refusals = census.refusals
        refusals.tell(names: [.descriptors: "64 connections"], warn: first.add, inform: first.add)
        #expect(census.enter(from: nil, at: instant(0)) && !census.enter(from: nil, at: instant(0)))
        refusals.tell(names: [.descriptors: "32 connections"], warn: second.add, inform: second.add)
        #expect(!census.enter(from: nil, at: instant(100)))
        refusals.noteHandshake(nil, nil, at: instant(0))
        refusals.noteHandshake(HandshakeFailure(.version), nil, at: instant(0))
        #expect(first.all == ["64 connections: a connection from an unknown address was refused"])
        #expect(second.all.count == 2 && second.all[0].hasPrefix("32 connections: "))
        #expect(refusals.count(by: .descriptors) == 2 && census.refusedCount == 2)
        #expect(refusals.handshakes == 1 && refusals.failedHandshakes(.version) == 1)
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        /// The lines since the last look.
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }

        var add: @Sendable (String) -> Void {
            { @Sendable [self] text in lines.withLock { $0.append(text) } }
        }
    }

    @Test func everyLimitHasItsOwnWords() {
        #expect(Set(ClientLimit.allCases.map(\.word)).count == ClientLimit.allCases.count)
        #expect(Set(ClientLimit.allCases.map(\.defaultName)).count == ClientLimit.allCases.count)
        #expect(ClientLimit.answerMemory.words(of: 1) == "1 more connection was closed")
        #expect(ClientLimit.requestMemory.words(of: 2) == "2 more requests were refused")
    }
}
