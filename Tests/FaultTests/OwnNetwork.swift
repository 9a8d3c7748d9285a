import Foundation
import TestSupport
import Testing

/// A network of a test's own, which has nothing but a loopback, and whose links can be cut and
/// slowed down without root.
///
/// Clients, proxy and origin have to be in it together. So a test starts the program of the tests
/// once more, within `unshare -rn` and for that test alone, and that run does the work.
enum OwnNetwork {
    private static let mark = "REFRAIN_OWN_NETWORK"

    /// Whether this is the run within.
    static let isHere = ProcessInfo.processInfo.environment[mark] == "1"

    /// Does `work` within, and notes its measurements for its row here.
    static func run(
        _ suite: String, _ test: String = #function, row: String, _ work: @escaping @Sendable () throws -> Void
    ) async throws {
        try await onThread {
            guard !isHere else { return try work() }
            let unshare = try #require(Tool("unshare"))
            let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let filter = "^FaultTests\\.\(suite)/\(test.prefix { $0 != "(" })\\("
            // Packets as on an Ethernet: a loopback's own would not fit through a narrow link.
            let outcome = try unshare.run(
                ["-rn", "/bin/sh", "-c", #"ip link set lo mtu 1500 up && exec "$@""#, "sh", program]
                    + ["--testing-library", "swift-testing", "--quiet", "--filter", filter],
                environment: [mark: "1"])
            let figures = outcome.text.split(separator: "\n").filter { $0.hasPrefix("  \(row) ") }
            for line in figures { FigureTable.note(line: String(line.dropFirst(2))) }
            #expect(outcome.status == 0 && !figures.isEmpty, "\(outcome.text.suffix(4_000))")
        }
    }

    private static let slowLink = ["qdisc add dev lo root tbf rate 256kbit burst 4k latency 400ms"]
    /// A link whose second class drops every packet; the sender gets no error.
    private static let cuttableLink = [
        "qdisc add dev lo root handle 1: htb default 1", "class add dev lo parent 1: classid 1:1 htb rate 10gbit",
        "class add dev lo parent 1: classid 1:2 htb rate 10gbit", "qdisc add dev lo parent 1:2 blackhole",
    ]

    /// From now on 256 kbit a second pass, of all connections together.
    static func slowDown() throws { try slowLink.forEach(tc) }

    /// From now on links can be cut.
    static func prepareCuts() throws { try cuttableLink.forEach(tc) }

    /// The packets of a link, in both directions.
    enum Link {
        /// Packets of the clients at this address of the loopback, by its last number.
        case clients(UInt8)
        /// Packets of the server at this port of 127.0.0.1. A client at another address may have
        /// the same port.
        case server(UInt16)

        fileprivate var matches: [String] {
            switch self {
            case .clients(let host): ["ip src 127.0.0.\(host)/32", "ip dst 127.0.0.\(host)/32"]
            case .server(let port):
                [
                    "ip src 127.0.0.1/32 match ip sport \(port) 0xffff",
                    "ip dst 127.0.0.1/32 match ip dport \(port) 0xffff",
                ]
            }
        }
    }

    /// From now on no packet of these links arrives, and none is refused.
    /// - Parameter number: of the cut, for `mend`.
    static func cut(_ links: [Link], number: Int) throws {
        for match in links.flatMap(\.matches) {
            try tc("filter add dev lo parent 1: protocol ip prio \(number) u32 match \(match) flowid 1:2")
        }
    }

    static func mend(number: Int) throws { try tc("filter del dev lo parent 1: protocol ip prio \(number)") }

    private static func tc(_ words: String) throws {
        let outcome = try #require(Tool("tc")).run(words.split(separator: " ").map(String.init))
        guard outcome.status == 0 else { throw ServedProgram.Failure(description: "tc \(words): \(outcome.text)") }
    }

    /// Whether all that can be done here.
    fileprivate static let isPossible: Bool = {
        guard !isHere else { return true }
        let filter = "filter add dev lo parent 1: protocol ip prio 1 u32 match ip sport 1 0xffff flowid 1:2"
        let all = slowLink + ["qdisc del dev lo root"] + cuttableLink + [filter]
        let script = "ip link set lo up && " + all.map { "tc \($0)" }.joined(separator: " && ")
        guard let unshare = Tool("unshare"), Tool("tc") != nil, Tool("ip") != nil else { return false }
        return (try? unshare.run(["-rn", "/bin/sh", "-c", script]))?.status == 0
    }()
}

extension Requirement {
    static let ownNetwork = Requirement(
        "no network namespaces (unshare -rn; ip and tc of iproute2; htb, tbf, u32): no link was cut or slow"
    ) { OwnNetwork.isPossible }
}
