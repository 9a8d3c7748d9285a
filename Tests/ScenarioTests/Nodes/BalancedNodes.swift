import EventLoop
import Foundation
import TestSupport
import Testing

/// An origin, nodes that are processes, and the delivered balancer in front of them.
final class BalancedNodes {
    private typealias Failure = ServedProgram.Failure

    /// A line of a node's access log.
    struct Served: Equatable {
        let node: Int
        let address: String
        let target: String
    }

    private let folder: TemporaryFolder
    private let authority: ThrowawayAuthority
    let origin: FakeOrigin
    private(set) var nodes: [ServedProgram] = []
    private(set) var balancer: HAProxyServer!
    private var last: [Served] = []

    /// - Parameter balanced: how many nodes the balancer knows.
    init(nodes count: Int = HAProxyServer.nodeCount, balanced: Int? = nil) throws {
        (folder, authority) = (try TemporaryFolder(), try ThrowawayAuthority())
        origin = try FakeOrigin(.init(body: "{\"data\":[]}"))
        for number in 1...count {
            nodes.append(
                try ServedProgram(
                    folder, named: "node\(number)",
                    """
                    listen 127.0.0.1:0 proxy_protocol
                    admin_listen 127.0.0.1:0
                    upstream http://127.0.0.1:\(origin.port)
                    cache_file off
                    access_log stdout json
                    workers 1
                    """))
        }
        for node in nodes where !node.listens() { throw Failure(description: node.text) }
        try balance(balanced ?? count)
    }

    /// Puts a balancer in front of the first nodes, in place of the one that is there.
    func balance(_ count: Int) throws {
        let leaf = try authority.issue(hosts: ["127.0.0.1"])
        balancer = try HAProxyServer(
            nodes.prefix(count).map { HAProxyServer.Node(port: try $0.port, adminPort: try $0.adminPort) },
            certificate: leaf.certificatePEM + leaf.keyPEM)
    }

    var trust: ClientTLS { get throws { try ClientTLS(trustAnchors: .pem(authority.certificatePEM())) } }

    func trustFile() throws -> String { try folder.put(authority.certificatePEM().utf8, "trust.pem") }

    func client(from host: UInt8 = 1) -> HTTPTestClient { HTTPTestClient(port: Int(balancer.plainPort), from: host) }

    /// The requests in the nodes' logs, once there are `count`; in the order of each node.
    func served(_ count: Int) throws -> [Served] {
        waitUntil(within: 60) { lines.count >= count }
        let served = lines
        guard served.count == count else { throw Failure(description: "\(served.count) requests, not \(count)") }
        return served
    }

    private var lines: [Served] {
        nodes.enumerated().flatMap { index, node in
            folder.text(node.output).components(separatedBy: "\n").dropLast().compactMap { line -> Served? in
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let address = object["address"] as? String, let target = object["target"] as? String
                else { return nil }
                return Served(node: index, address: address, target: target)
            }
        }
    }

    /// Returns the one node that has served requests since the last call.
    func node(after count: Int) throws -> Int {
        let before = Dictionary(grouping: last, by: \.node).mapValues(\.count)
        last = try served(count)
        let after = Dictionary(grouping: last, by: \.node).mapValues(\.count)
        let grown = after.filter { $0.value > before[$0.key, default: 0] }
        guard grown.count == 1, let node = grown.first?.key else { throw Failure(description: "served by \(grown)") }
        return node
    }
}
