import Dispatch
import EventLoop
import Foundation

/// The servers that this program itself is beside those it measures, each a process of its own:
/// `bench serve origin PORT`, and `bench serve idle PORT SERVER COUNT TARGET`: clients of the
/// server on that port, which listen themselves on theirs once each has its answer, and are gone
/// once one of them has been closed.
enum ServerRole {
    static let word = "serve"
    static let origin = "origin"
    static let idle = "idle"

    static func serve(_ arguments: [String]) throws -> Never {
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        _ = FileDescriptors.limit
        guard let name = arguments.first, let port = numbers.first.flatMap({ UInt16(exactly: $0) }) else {
            throw BenchError("bench \(word) takes a name and a port")
        }
        let server: AnyObject =
            switch (name, numbers.count) {
            case (origin, 1): try OriginServer(port: port)
            case (idle, 3): try rest(port, of: numbers[1], numbers[2], arguments.last ?? "")
            default:
                throw BenchError("bench \(word) knows \(origin) PORT and \(idle) PORT SERVER COUNT TARGET")
            }
        while true { withExtendedLifetime(server) { _ = sleep(3600) } }
    }

    /// - Throws: when a client has been closed; until then it does not return.
    private static func rest(_ port: UInt16, of server: Int, _ count: Int, _ target: String) throws -> Never {
        let clients = try Crowd(port: server, target: target)
        try clients.join(count)
        guard let address = SocketAddress(host: "127.0.0.1", port: port) else { throw BenchError("no address") }
        let loop = try EventLoop(label: "bench.idle")
        let listener = try loop.sync { try Listener(address: address, loop: loop) { $0.close() } }
        while true {
            try withExtendedLifetime(listener) { try clients.checkAllOpen() }
            usleep(100_000)
        }
    }
}
