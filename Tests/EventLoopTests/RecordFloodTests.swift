import COpenSSL
import TestSupport
import Testing

@testable import EventLoop

/// Peers that keep to TLS and choose how much of it there is.
@Suite(.timeLimit(.minutes(10))) struct RecordFloodTests: LoopSuite {
    let scene = LoopScene()
    let authority: ThrowawayAuthority
    let tls: ServerTLS

    init() throws {
        authority = try ThrowawayAuthority()
        tls = try ServerTLS(authority: authority, hosts: ["localhost"])
    }

    private func closed(_ server: TestServer, _ index: Int = 0) -> StreamError? {
        #expect(loop.eventually { server.recorders.count > index && server.recorders[index].isClosed })
        return loop.sync { server.recorders[index].error }
    }

    /// All of them lie in the socket before the loop looks: the library would handle them in one
    /// call.
    @Test func aFloodOfKeyUpdatesEndsItsConnection() throws {
        let server = try TestServer(loop: loop, tls: tls)
        let peer = try TLSPeer(port: server.port)
        try peer.shakeHands()
        let flood = (0..<1_000).flatMap { _ in peer.keyUpdate() }
        try loop.sync { try peer.socket.send(flood) }
        #expect(closed(server) == .recordFlood)
        // Each that was handled has been answered, by a record of 27 bytes, after two tickets.
        let records = peer.socket.read().count / 27
        #expect(records < RecordBounds.burst + 30, "\(records)")
    }

    @Test func contentBetweenKeyUpdatesDoesNotExcuseThem() throws {
        let server = try TestServer(loop: loop, tls: tls) { $0.echoes = false }
        let peer = try TLSPeer(port: server.port)
        try peer.shakeHands()
        let flood = (0..<500).flatMap { _ in peer.keyUpdate(asking: false) + peer.record([1]) }
        try loop.sync { try peer.socket.send(flood) }
        #expect(closed(server) == .recordFlood)
        #expect(loop.sync { server.recorders[0].received.count } <= RecordBounds.burst + 1)
    }

    @Test func fewKeyUpdatesDoNoHarm() throws {
        let server = try TestServer(loop: loop, tls: tls)
        let peer = try TLSPeer(port: server.port)
        try peer.shakeHands()
        for index in 0..<8 {
            try peer.socket.send(peer.keyUpdate() + peer.record([UInt8(index)]))
            #expect(peer.read(1) == [UInt8(index)])
        }
    }

    /// Each asks for an answer, which the peer does not read either.
    @Test func aPeerThatAsksAndDoesNotReadMakesNothingMoreWait() throws {
        let body = [UInt8](repeating: 5, count: 8 << 20)
        var most = 0
        let server = try serve(
            tls: tls, onOpen: { $0.send(body) },
            onReadable: { stream in
                stream.recorder?.readAll(stream)
                most = max(most, stream.pendingBytes)
            })
        let peer = try TLSPeer(port: server.port)
        try peer.shakeHands()
        #expect(loop.eventually { server.recorders.first?.stream?.pendingBytes ?? 0 > 1 << 20 })
        let flood = (0..<1_000).flatMap { _ in peer.keyUpdate() }
        try loop.sync { try peer.socket.send(flood) }
        #expect(closed(server) != nil)
        #expect(loop.sync { most } <= body.count)
    }

    /// Records of one byte are content, and each costs a call: others have their turn in between,
    /// and what is left in the socket comes without another event.
    @Test func othersAreServedBetweenTinyRecords() throws {
        var seen: [Int] = []
        let server = try TestServer(loop: loop, tls: tls) { $0.echoes = false }
        let (flooder, other) = (try TLSPeer(port: server.port), try TLSPeer(port: server.port))
        try flooder.shakeHands()
        try other.shakeHands()
        #expect(loop.eventually { server.recorders.count { $0.events.first == .open } == 2 })
        let flood = (0..<2_000).flatMap { _ in flooder.record([1]) }
        try loop.sync {
            let tiny = server.recorders[0]
            server.recorders[1].onReadable = { stream in
                seen.append(tiny.received.count)
                stream.recorder?.readAll(stream)
            }
            try flooder.socket.send(flood)
            try other.socket.send(other.record([2]))
        }
        #expect(loop.eventually { server.recorders[0].received.count == 2_000 })
        #expect(loop.sync { seen.first ?? .max } <= Stream.recordsPerTurn)
        #expect(loop.sync { server.recorders[1].received } == [2])
    }

    @Test(arguments: [(1, false), (16, true)]) func aHandshakeInCrumbsIsBounded(size: Int, succeeds: Bool) throws {
        let server = try TestServer(loop: loop, tls: tls)
        let peer = try TLSPeer(port: server.port)
        var isFirst = true
        try? peer.shakeHands { records in
            defer { isFirst = false }
            return isFirst ? fragmented(records, into: size) : records
        }
        guard succeeds else {
            #expect(closed(server) == .recordFlood)
            return
        }
        try peer.socket.send(peer.record([9]))
        #expect(peer.read(1) == [9])
    }

    /// Many clients may send their hellos at one moment; each costs a signature.
    @Test func aTurnHasFewHandshakes() throws {
        var turns: [Int: Int] = [:]
        let server = try TestServer(loop: loop, tls: tls) { recorder in
            recorder.onOpen = { turns[$0.loop.turnNumber, default: 0] += 1 }
        }
        let peers = try (0..<20).map { _ in try TLSPeer(port: server.port) }
        try loop.sync { for peer in peers { try peer.sayHello() } }
        concurrently(peers.count) { number in #expect(throws: Never.self) { try peers[number].shakeHands() } }
        #expect(loop.eventually { turns.values.reduce(0, +) == peers.count })
        #expect(loop.sync { turns.values.max() ?? 0 } <= HandshakeAllowance.perTurn)
    }

    /// A hostile origin, whose tickets the library takes in without end.
    @Test(arguments: [(8, false), (200, true)]) func ticketsAreBounded(count: Int, isFlood: Bool) throws {
        let leaf = try authority.issue(hosts: ["localhost"])
        let tls = try ServerTLS(leaf: leaf) { SSL_CTX_set_num_tickets($0, count) }
        let server = try TestServer(loop: loop, tls: tls)
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let recorder = try server.client(tls: (client, "localhost"), sending: "ping")
        #expect(loop.eventually { recorder.isClosed || recorder.received.count == 4 })
        #expect(loop.sync { recorder.error } == (isFlood ? .recordFlood : nil))
    }
}

@Suite(.timeLimit(.minutes(10))) struct RecordBoundsTests {
    private let start = Instant(nanoseconds: 0)

    private func established() -> RecordBounds {
        var bounds = RecordBounds()
        bounds.establish()
        return bounds
    }

    @Test func aBurstIsAllowedAndOneMoreIsNot() {
        var bounds = established()
        for _ in 0..<RecordBounds.burst { bounds.noteMessage(at: start) }
        #expect(!bounds.areExceeded)
        bounds.noteMessage(at: start)
        #expect(bounds.areExceeded)
    }

    @Test func theBoundRenewsItselfWithTimeAlone() {
        var bounds = established()
        for _ in 0..<RecordBounds.burst { bounds.noteMessage(at: start) }
        for second in 1...100 {
            let now = start + .seconds(second)
            bounds.noteRecord(at: now)
            bounds.noteContent()
            bounds.noteMessage(at: now)
            #expect(!bounds.areExceeded)
        }
        bounds.noteMessage(at: start + .seconds(100))
        #expect(bounds.areExceeded)
    }

    @Test func recordsWithContentAreFree() {
        var bounds = established()
        for _ in 0..<10_000 {
            bounds.noteRecord(at: start)
            bounds.noteContent()
        }
        #expect(!bounds.areExceeded)
    }

    /// The last record may still bring content.
    @Test func aRecordIsEmptyWhenTheNextBegins() {
        var bounds = established()
        for _ in 0...RecordBounds.burst { bounds.noteRecord(at: start) }
        #expect(!bounds.areExceeded)
        bounds.noteRecord(at: start)
        #expect(bounds.areExceeded)
    }

    @Test func aHandshakeHasABoundOfItsOwn() {
        var bounds = RecordBounds()
        for _ in 0..<RecordBounds.mostOfHandshake { bounds.noteRecord(at: start) }
        #expect(!bounds.areExceeded)
        bounds.noteMessage(at: start)
        #expect(bounds.areExceeded)
    }
}
