import Dispatch
import Foundation

/// The servers that this program itself can be, each in a process of its own:
/// `bench serve origin PORT`, `bench serve bare PORT LOOPS BYTES`.
enum ServerRole {
    static let word = "serve"
    static let origin = "origin"
    static let bare = "bare"

    /// Serves until the process is ended.
    static func serve(_ arguments: [String]) throws -> Never {
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard let name = arguments.first, let port = numbers.first.flatMap({ UInt16(exactly: $0) }) else {
            throw BenchError("bench \(word) takes a name and a port")
        }
        let server: AnyObject =
            switch (name, numbers.count) {
            case (origin, 1): try OriginServer(port: port)
            case (bare, 3): try BareResponder(port: port, loops: numbers[1], answerBytes: numbers[2])
            default: throw BenchError("bench \(word) knows \(origin) PORT and \(bare) PORT LOOPS BYTES")
            }
        while true { withExtendedLifetime(server) { _ = sleep(3600) } }
    }
}
