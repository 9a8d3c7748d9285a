import Dispatch
import Foundation
import TestSupport
import Testing

@testable import refrain

/// A demonstration, an album that it has, and where it is administered.
final class RunningDemo {
    let port: Int
    let client: HTTPTestClient
    let admin: Int
    let album: String
    private let demo: Demo

    init() throws {
        demo = try Demo(
            on: HostPort("127.0.0.1:0"),
            CommandContext(output: CapturedOutput().output, files: MemoryFiles().access))
        let urls = demo.greeting.split(separator: "'").filter { $0.hasPrefix("http://") }
        let first = try #require(urls.first.flatMap { URL(string: String($0)) })
        let last = try #require(urls.last.flatMap { URL(string: String($0)) })
        port = try #require(first.port)
        client = HTTPTestClient(port: port)
        admin = try #require(last.port)
        album = first.path
    }

    func stop() {
        client.close()
        demo.stop { _ in }
    }
}

extension RunningProxy {
    /// Stops, and waits for it.
    func stop() {
        let done = DispatchSemaphore(value: 0)
        stop { @Sendable _ in done.signal() }
        done.waitOrFail()
    }
}
