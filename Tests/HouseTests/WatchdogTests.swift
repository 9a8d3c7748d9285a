import Foundation
import TestSupport
import Testing

@Suite struct WatchdogTests {
    private static func event(_ kind: String, _ test: String) -> String {
        #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(test)"},"version":0}"# + "\n"
    }

    private static let events = [
        "{\"kind\":\"test\",\"payload\":{}}\n", event("testStarted", "T.S"),
        event("testStarted", "T.S/a()/S.swift:1:6"),
        event("testStarted", "T.S/b()/S.swift:2:6"), event("testEnded", "T.S/a()/S.swift:1:6"),
    ].joined()

    /// A file without a name: the process that reads it cannot remove it afterwards.
    private static func openEvents() throws -> CInt {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { open(try folder.put(events.utf8, "events"), O_RDONLY) }
    }

    @Test func runningTestsAreNamed() {
        #expect(Watchdog.running(Data(Self.events.utf8)) == ["T.S/b()/S.swift:2:6"])
        // The last line may be half written.
        #expect(Watchdog.running(Data(Self.events.utf8) + Data("{\"kind\":".utf8)) == ["T.S/b()/S.swift:2:6"])
        #expect(Watchdog.running(Data()).isEmpty)
    }

    @Test func aSilentRunFailsAndSaysWhereItIs() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            let descriptor = try WatchdogTests.openEvents()
            Watchdog.watch("/proc/self/fd/\(descriptor)", silence: .milliseconds(200))
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("T.S/b()/S.swift:2:6") && !text.contains("T.S/a()"), "\(text)")
    }
}
