import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing

/// `Sources/Deployment/haproxy/haproxy.cfg`, run by a real HAProxy in front of real nodes.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.haproxy), .requires(.binary))
struct BalancedNodesTests {
    @Test func haproxyFindsNothingWrongWithTheFile() throws {
        let folder = try TemporaryFolder()
        let leaf = try ThrowawayAuthority().issue(hosts: ["127.0.0.1"])
        let nodes = (1...HAProxyServer.nodeCount).map { HAProxyServer.Node(port: $0, adminPort: $0) }
        let outcome = try #require(Tool("haproxy")).run(
            ["-c", "-f", HAProxyServer.configuration.path],
            environment: HAProxyServer.environment(
                nodes, front: "127.0.0.1:443",
                certificate: try folder.put((leaf.certificatePEM + leaf.keyPEM).utf8, "pem"),
                stats: folder.file("stats")))
        #expect(outcome.status == 0 && outcome.text == "Configuration file is valid\n", "\(outcome.text)")
    }

    // MARK: Which node

    /// So that one answer can be composed of the other. The slashes of `https://host` counted: by
    /// HTTP/2 all albums of a storefront had one node, mostly another one than by HTTP/1.1.
    @Test(.requires(.curl)) func bothVersionsOfHTTPFindTheNodeOfAnAlbum() throws {
        let scene = try BalancedNodes()
        let numbers = 1...12
        let endings = ["", "?include=artists", "?l=fr&include=tracks", "/tracks", "/artists?limit=3"]
        let targets = numbers.flatMap { number in endings.map { String.album(number) + $0 } }
        for target in targets { #expect(try scene.client().send("GET", target).status == 200) }
        _ = try scene.served(targets.count)
        let curl = try #require(Tool("curl"))
        for version in ["--http2", "--http1.1"] {
            let urls = numbers.map { "https://127.0.0.1:\(scene.balancer.port)\(String.album($0))?l=fr" }
            let outcome = try curl.run(
                [version, "--silent", "--show-error", "--cacert", try scene.trustFile(), "--write-out"]
                    + ["\\n%{http_version} %{http_code}\\n"] + urls)
            let last = outcome.text.split(separator: "\n").filter { $0.hasSuffix(" 200") }
            let expected = version == "--http2" ? "2 200" : "1.1 200"
            #expect(last.count == numbers.count && last.allSatisfy { $0 == expected }, "\(outcome.text)")
        }
        let all = try scene.served(targets.count + 2 * numbers.count)
        for number in numbers {
            let those = all.filter { $0.target.split { "/?".contains($0) }[4] == "\(number)" }
            #expect(those.count == endings.count + 2 && Set(those.map(\.node)).count == 1, "\(those)")
        }
        #expect(Set(all.map(\.node)) == [0, 1, 2])
    }

    /// With `ttl personal` a write on one node is not seen on another.
    @Test func eachUserStaysWithOneNode() throws {
        let scene = try BalancedNodes()
        var (nodes, count) = (Set<Int>(), 0)
        for user in 1...6 {
            var own = Set<Int>()
            for target in ["/v1/me/library/albums", "/v1/me/library/songs?limit=2", "/v1/me/storefront"] {
                let reply = try scene.client().send("GET", target, fields: [("Music-User-Token", "user-\(user)")])
                #expect(reply.status == 200)
                count += 1
                own.insert(try scene.node(after: count))
            }
            #expect(own.count == 1, "user \(user)")
            nodes.formUnion(own)
        }
        #expect(nodes.count > 1)
        #expect(!scene.balancer.log.contains("library") && scene.balancer.log.contains(" personal/node"))
    }

    @Test func aFourthNodeTakesKeysAndNoOtherKeyMoves() throws {
        let scene = try BalancedNodes(nodes: 4, balanced: 3)
        let targets = (1...80).map(String.album)
        func ask() throws { for target in targets { #expect(try scene.client().send("GET", target).status == 200) } }
        try ask()
        let before = try scene.served(targets.count)
        #expect(Set(before.map(\.node)) == [0, 1, 2])
        try scene.balance(4)
        try ask()
        let after = try scene.served(2 * targets.count)
        let moved = targets.filter { target in
            let nodes = Set(after.filter { $0.target == target }.map(\.node))
            let former = before.first { $0.target == target }?.node
            #expect(former.map { nodes == [$0] || nodes == [$0, 3] } == true, "\(target): \(nodes)")
            return nodes.contains(3)
        }
        #expect(!moved.isEmpty && moved.count < targets.count / 2)
        FigureTable.note("keys that move to a fourth node", "\(moved.count) of \(targets.count)")
    }

    // MARK: The client's address

    @Test func nodesSeeTheAddressesOfClients() throws {
        let scene = try BalancedNodes()
        let clients = [UInt8(7), 8, 9].map { ($0, scene.client(from: $0)) }
        // Over connections that are kept, by turns: none is another client's.
        for turn in 0..<4 {
            for (host, client) in clients {
                #expect(try client.send("GET", String.album(1) + "?limit=\(10 * turn + Int(host))").status == 200)
            }
        }
        for line in try scene.served(12) {
            let host = line.target.suffix(1)
            #expect(line.address == "127.0.0.\(host)", "\(line)")
        }
    }

    // MARK: Nodes that go

    private func figures(_ scene: BalancedNodes, _ event: () throws -> Void) throws -> UpgradeLoad.Figures {
        let load = try UpgradeLoad(
            ports: [(Int(scene.balancer.port), try scene.trust)], clients: TestSize.of(8, release: 16),
            gap: .milliseconds(10))
        waitUntil(within: 60) { load.requests > 200 }
        try event()
        let before = load.requests
        waitUntil(within: 60) { load.requests > before + TestSize.of(400, release: 8_000) }
        return load.finish()
    }

    @Test func noGETFailsWhereANodeIsKilledOrStopped() throws {
        let scene = try BalancedNodes()
        for (name, event) in [
            ("killed", { scene.nodes[0].kill() }), ("stopped", { #expect(scene.nodes[1].stop() == 0) }),
        ] {
            let seen = try figures(scene, event)
            FigureTable.note("a node is \(name)", "\(seen)")
            #expect(seen.failures.isEmpty && seen.closedWhileIdle == 0, "\(name)")
        }
    }

    /// It may have been acted on. A GET goes to another node.
    @Test(arguments: ["POST", "GET"]) func onlyWhatChangesNothingIsAskedAgain(method: String) throws {
        let scene = try BalancedNodes()
        let user = [("Music-User-Token", "user")]
        #expect(try scene.client().send("GET", "/v1/me/storefront", fields: user).status == 200)
        let victim = Mutex<pid_t?>(scene.nodes[try scene.node(after: 1)].id)
        scene.origin.answer { _ in
            if let id = victim.withLock({ $0.take() }) { kill(id, SIGKILL) }
            return FakeOrigin.Reply(body: "{\"data\":[]}")
        }
        let reply = try scene.client().send(
            method, "/v1/me/library?ids%5Balbums%5D=1", fields: user, body: method == "POST" ? Data() : nil)
        #expect(reply.status == (method == "POST" ? 502 : 200))
        let asked = scene.origin.requests.filter { $0.target.hasPrefix("/v1/me/library") }
        #expect(asked.count == (method == "POST" ? 1 : 2) && asked.allSatisfy { $0.method == method })
    }
}
