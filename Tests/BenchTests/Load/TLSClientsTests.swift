import Testing

@testable import Bench
@testable import EventLoop

/// New connections, against a responder in this process.
@Suite struct TLSClientsTests {
    @Test func quantilesOfDurationsAreMilliseconds() {
        var counts = TLSClients.Counts()
        #expect(counts.milliseconds(atShare: 0.5) == 0)
        counts.durations = (1...100).reversed().map { $0 * 1_000_000 }
        #expect(counts.milliseconds(atShare: 0.5) == 51)
        #expect(counts.milliseconds(atShare: 0.99) == 100)
        #expect(counts.milliseconds(atShare: 1) == 100)
    }

    @Test func handshakesThatWereNotAskedForAreNoMeasurement() {
        func objection(_ resumed: Int, of answered: Int, resumes: Bool) -> String? {
            HandshakesMeasurement.objection(to: TLSClients.Counts(answered: answered, resumed: resumed), resumes)
        }
        #expect(objection(0, of: 100, resumes: false) == nil)
        #expect(objection(1, of: 100, resumes: false) != nil)
        #expect(objection(90, of: 100, resumes: true) == nil)
        #expect(objection(89, of: 100, resumes: true) == "89 of 100 connections resumed a session")
        #expect(objection(0, of: 0, resumes: true) == "no connection was answered")
    }

    @Test(arguments: [true, false])
    func sessionsAreResumedWhereTheyMayBe(resumes: Bool) throws {
        let authority = try ThrowawayAuthority()
        let tls = try ServerTLS(authority: authority, hosts: ["127.0.0.1", TLSClients.anyName])
        let (port, loop) = (try Ports.free(), try EventLoop(label: "test.tls"))
        let address = try #require(SocketAddress(host: "127.0.0.1", port: UInt16(port)))
        let listener = try loop.sync {
            try Listener(address: address, loop: loop, tls: tls) { $0.handler = Responder() }
        }
        let clients = try TLSClients(
            port: port, authorityPEM: authority.certificatePEM(), resumes: resumes, target: "/")
        let counts = try withExtendedLifetime(listener) { try clients.run(clients: 4, seconds: 1) }
        #expect(counts.answered > 8)
        #expect(counts.durations.count == counts.answered)
        #expect(HandshakesMeasurement.objection(to: counts, resumes) == nil || resumes && counts.answered < 80)
    }

    private final class Responder: ReadingHandler {
        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
            Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8).withUnsafeBytes { stream.send($0) }
        }
    }
}
