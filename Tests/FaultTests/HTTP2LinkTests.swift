import EventLoop
import Foundation
import TestSupport
import Testing

/// A page that asks for sixty albums at once, over a link with a delay. What it gains is measured
/// by `make bench BENCH=pages`.
@Suite(.timeLimit(.minutes(10)), .requires(.binary), .requires(.nghttp2), .requires(.curl))
struct HTTP2LinkTests {
    private static let albums = 60

    @Test func aPageOfManyAlbumsComesWholeByEither() async throws {
        try await onThread {
            let house = try FaultHouse()
            let authority = try ThrowawayAuthority()
            let leaf = try authority.issue(hosts: ["localhost"])
            try house.folder.put(authority.certificatePEM().utf8, "authority.pem")
            try house.folder.put(leaf.certificatePEM.utf8, "tls.pem")
            try house.folder.put(leaf.keyPEM, "tls.key", mode: 0o600)
            let program = try house.start([
                "listen 127.0.0.1:0 tls", "tls_certificate \(house.folder.file("tls.pem"))",
                "tls_certificate_key \(house.folder.file("tls.key"))",
            ])
            let port = try #require(
                program.text(behind: "listening on https://127.0.0.1:").flatMap { UInt16($0.prefix { $0.isNumber }) })
            let manner = SlowRelay.Manner(delay: .milliseconds(25), stalls: 0, longest: .zero)
            let relay = try SlowRelay(to: port, manner, seed: 1)
            let curl = try #require(Tool("curl"))
            for (version, connections) in [("--http1.1", 6), ("--http2", Self.albums)] {
                // The first fills the cache.
                for target in [port, relay.port] {
                    let outcome = try curl.run([
                        "-sS", "--max-time", "120", version, "--cacert", house.folder.file("authority.pem"),
                        "--parallel",
                        "--parallel-max", "\(connections)", "-w", "%{http_version} %{http_code}\n", "-o", "/dev/null",
                        "https://localhost:\(target)/v1/catalog/us/albums/[1-\(Self.albums)]",
                    ])
                    let answers = outcome.text.split(separator: "\n").count { $0.hasSuffix(" 200") }
                    #expect(answers == Self.albums, "\(version): \(outcome.text)")
                }
            }
            relay.stop()
            #expect(program.stop() == 0, "\(program.text.suffix(1_000))")
        }
    }
}
