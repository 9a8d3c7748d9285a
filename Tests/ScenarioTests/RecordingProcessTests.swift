import Foundation
import Server
import Simulator
import TestSupport
import Testing

@testable import Recording

/// Recordings of the release build, where what happens to it happens to a whole process.
///
/// `make test` builds it first and says where it is.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .requires(.release))
struct RecordingProcessTests {
    /// The release build with a recording, in front of a simulated origin.
    private final class Recorder {
        let folder: TemporaryFolder
        let program: ServedProgram
        private let origin: ServiceHost

        /// - Parameter blocks: of 512 bytes, the most that a file may have.
        init(blocks: Int? = nil) throws {
            folder = try TemporaryFolder()
            origin = try ServiceHost.serving(SimulatedAPI.open())
            let lines = """
                admin_listen 127.0.0.1:0
                upstream http://\(origin.address)
                cache_file off
                access_log off
                record \(folder.file())
                """
            let limit = blocks.map { "ulimit -f \($0); " } ?? ""
            program = try ServedProgram(folder, lines, runner: ["/bin/sh", "-c", limit + "exec \"$0\" \"$@\""])
            _ = program.listens()
        }

        deinit {
            program.kill()
            origin.stop()
        }
    }

    @Test(arguments: TestSize.of([150_000], full: [0, 150_000, 300_000, 450_000]) as [UInt32])
    func aRecordingOfAKilledProxyIsReadToItsLastLine(microseconds: UInt32) async throws {
        try await onThread {
            let recorder = try Recorder()
            let port = try recorder.program.port
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let client = HTTPTestClient(port: port)
                var count = 0
                while (try? client.send("GET", "/v1/catalog/us/songs/\(count % 50)?n=\(count)")) != nil { count += 1 }
                isOver.signal()
            }
            // The reader passes over the lines before the first exchange.
            waitUntil { ((try? Data(contentsOf: URL(fileURLWithPath: recorder.folder.file())).count) ?? 0) > 500 }
            usleep(microseconds)
            recorder.program.kill()
            isOver.waitOrFail()
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
            let client = HTTPTestClient(port: try recorder.program.port)
            let admin = HTTPTestClient(port: try recorder.program.adminPort)
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
            #expect(recorder.program.isRunning && count > 50)
            #expect((status["dropped"] as? Int ?? 0) > 0)
            #expect((status["problem"] as? String)?.contains("File too large") == true)
            #expect(recorder.program.text(behind: "warn: record: ") != nil)
            recorder.program.kill()
            let reader = try RecordingReader(path: recorder.folder.file())
            #expect(try !reader.rest().isEmpty && reader.warnings.allSatisfy { !$0.contains("truncated") })
        }
    }
}
