import EventLoop
import Foundation
import Proxy
import Recording
import Server
import Simulator
import Synchronization
import TestSupport
import Testing

/// Recordings of the release build, where what happens to it happens to a whole process.
///
/// `make test` builds it first and says where it is.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .requires(.release))
struct RecordingProcessTests {
    /// The release build with a recording, in front of a simulated origin.
    private final class Recorder {
        struct Failure: Error {}

        let folder: TemporaryFolder
        let process = Process()
        private let origin: ServiceHost

        /// - Parameter blocks: of 512 bytes, the most that a file may have.
        init(blocks: Int? = nil) throws {
            folder = try TemporaryFolder()
            var simulated = SimulatorConfiguration()
            simulated.requiresAuthorization = false
            let api = SimulatedAPI(configuration: simulated)
            origin = try ServiceHost(
                label: "origin", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
            ) { context in SimulatorService(api, context: context) }
            let lines = """
                listen 127.0.0.1:0
                admin_listen 127.0.0.1:0
                upstream http://\(origin.address)
                cache_file off
                access_log off
                record \(folder.file())
                """
            let configuration = folder.url.appendingPathComponent("proxy.conf")
            try Data(lines.utf8).write(to: configuration)
            try Data().write(to: log)
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let limit = blocks.map { "ulimit -f \($0); " } ?? ""
            process.arguments = [
                "-c", limit + "exec \"$0\" serve --config \"$1\"", BinaryUnderTest.path ?? "", configuration.path,
            ]
            process.standardError = try FileHandle(forWritingTo: log)
            try process.run()
            waitUntil { self.text(behind: "admin listener on http://127.0.0.1:") != nil || !process.isRunning }
        }

        deinit {
            if process.isRunning { kill() }
            origin.stop()
        }

        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        var port: Int { get throws { try number(behind: "listening on http://127.0.0.1:") } }
        var adminPort: Int { get throws { try number(behind: "admin listener on http://127.0.0.1:") } }
        private var log: URL { folder.url.appendingPathComponent("log") }

        private func number(behind start: String) throws -> Int {
            guard let number = text(behind: start).flatMap({ Int($0) }) else { throw Failure() }
            return number
        }

        func text(behind start: String) -> String? {
            let lines = ((try? String(contentsOf: log, encoding: .utf8)) ?? "").components(separatedBy: "\n").dropLast()
            return lines.first { $0.contains(start) }?.components(separatedBy: start).last
        }
    }

    @Test(arguments: [0, 150_000, 300_000, 450_000])
    func whatAKilledProxyRecordedIsReadUpToItsLastWholeLine(microseconds: UInt32) async throws {
        try await onThread {
            let recorder = try Recorder()
            let port = try recorder.port
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let client = HTTPTestClient(port: port)
                var count = 0
                while (try? client.send("GET", "/v1/catalog/us/songs/\(count % 50)?n=\(count)")) != nil { count += 1 }
                isOver.signal()
            }
            // The reader passes over what comes before the first exchange.
            waitUntil { ((try? Data(contentsOf: URL(fileURLWithPath: recorder.folder.file())).count) ?? 0) > 500 }
            usleep(microseconds)
            recorder.kill()
            isOver.wait()
            let reader = try RecordingReader(path: recorder.folder.file())
            let exchanges = try reader.rest()
            #expect(!exchanges.isEmpty)
            for hash in Set(exchanges.compactMap(\.body)) { #expect(try reader.bodies.content(of: hash) != nil) }
        }
    }

    /// A file at the limit of its size is a signal too, whose default is the end of the process.
    @Test func aDiskThatTakesNoMoreCostsExchangesAndNothingElse() async throws {
        try await onThread {
            let recorder = try Recorder(blocks: 1024)
            let client = HTTPTestClient(port: try recorder.port)
            defer { client.close() }
            let admin = HTTPTestClient(port: try recorder.adminPort)
            defer { admin.close() }
            var status: [String: Any] = [:]
            var count = 0
            // The thread that writes gives way to all others: on a busy machine the file was not
            // full after the usual time.
            waitUntil(within: 180) {
                for _ in 0..<50 {
                    guard (try? client.send("GET", "/v1/catalog/us/charts?types=albums&n=\(count)").status) == 200
                    else {
                        return true
                    }
                    count += 1
                }
                status = ((try? admin.send("GET", "/recording"))?.json as? [String: Any]) ?? [:]
                return status["problem"] is String
            }
            #expect(recorder.process.isRunning && count > 50)
            #expect((status["dropped"] as? Int ?? 0) > 0)
            #expect((status["problem"] as? String)?.contains("File too large") == true)
            #expect(recorder.text(behind: "warn: record: ") != nil)
            recorder.kill()
            let reader = try RecordingReader(path: recorder.folder.file())
            #expect(try !reader.rest().isEmpty && reader.warnings.allSatisfy { !$0.contains("cut off") })
            #expect(!reader.bodies.isCutOff)
        }
    }
}
