import Foundation
import Proxy
import Recording
import Synchronization
import TestSupport
import Testing
import Text

@testable import Admin

@Suite struct RecordingEndpointTests {
    /// A recording whose calls have the given result.
    private final class Recorder: Sendable {
        let asked = Mutex<[Bool]>([])
        private let result: Result<RecordingStatus, RecordingError>?

        init(_ result: Result<RecordingStatus, RecordingError>?) { self.result = result }

        /// The listener of a proxy with this recording.
        func admin() throws -> AdminUnderTest {
            try AdminUnderTest(
                recording: { [result] in (try? result?.get()) ?? RecordingStatus() },
                turnRecording: { [self] isOn, completion in
                    asked.withLock { $0.append(isOn) }
                    completion(result)
                })
        }
    }

    private var status: RecordingStatus {
        var status = RecordingStatus()
        status.configured = RecordingSettings(path: "/var/traffic", sampling: 0.5, mostBytes: 1 << 20, mostFiles: 2)
        status.isOn = true
        status.since = Timestamp(microseconds: 0)
        (status.exchanges, status.bytes, status.dropped) = (7, 800, 9)
        return status
    }

    private func post(_ admin: AdminUnderTest, _ content: String, _ path: String = "/recording") throws -> Int {
        try admin.client.send("POST", path, body: Data(content.utf8)).status
    }

    @Test func saysHowItFares() throws {
        let admin = try Recorder(.success(status)).admin()
        let body = try admin.client.send("GET", "/recording").body
        #expect(
            String(decoding: body, as: UTF8.self) == """
                {"on":true,"file":"/var/traffic","since":"1970-01-01T00:00:00.000000Z","sampling":0.5,"size":1048576,\
                "files":2,"exchanges":7,"bytes":800,"dropped":9,"problem":null}

                """)
        #expect(try AdminUnderTest().object("/recording")?["on"] as? Bool == false)
    }

    @Test func switchesOnAndOff() throws {
        let recorder = Recorder(.success(status))
        let admin = try recorder.admin()
        #expect(try post(admin, #"{"on":true}"#) == 200)
        #expect(try post(admin, #"{"on":false}"#) == 200)
        #expect(recorder.asked.withLock { $0 } == [true, false])
        #expect(admin.logged == ["recording switched on", "recording switched off"])
    }

    /// A named file could be any file of the proxy's user.
    @Test func malformedContentChangesNothing() throws {
        let recorder = Recorder(.success(status))
        let admin = try recorder.admin()
        for content in [
            #"{"on":true,"file":"/etc/passwd"}"#, #"{"file":"a"}"#, #"{"on":1}"#, #"{"on":"true"}"#, "{}", "",
            "[true]", #"{"on":true,"on":false}"#,
        ] {
            #expect(try post(admin, content) == 400, "\(content)")
        }
        #expect(try post(admin, #"{"on":true}"#, "/recording?file=a") == 400)
        #expect(recorder.asked.withLock { $0 }.isEmpty)
    }

    @Test func failuresAreReported() throws {
        #expect(try post(try Recorder(nil).admin(), #"{"on":true}"#) == 409)
        let failing = try Recorder(.failure(.empty(path: "a"))).admin()
        let reply = try failing.client.send("POST", "/recording", body: Data(#"{"on":true}"#.utf8))
        #expect(reply.status == 503)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("cannot start: a: no recorded response in it"))
        #expect(failing.logged == ["recording could not be switched on: a: no recorded response in it"])
    }
}
