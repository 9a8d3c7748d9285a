import Foundation
import Glibc
import Testing

@testable import refrain

@Suite struct LogOutputTests {
    /// A loop that logged waited for the reader, and everything with it, the stop included.
    @Test func aReaderThatTakesNothingKeepsNobodyWaiting() throws {
        let pipe = Pipe()
        let flags = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFL)
        let output = LogOutput(pipe.fileHandleForWriting.fileDescriptor)
        // More than a pipe holds.
        let line = String(repeating: "a", count: 999) + "\n"
        for _ in 0..<200 { output.write(line) }
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFL) == flags, "others share it")
        var taken = pipe.fileHandleForReading.availableData
        output.write("after\n")
        while !taken.hasSuffix("after\n") { taken += pipe.fileHandleForReading.availableData }
        let lines = String(decoding: taken, as: UTF8.self).split(separator: "\n")
        let whole = lines.count { $0.count == 999 }
        #expect(whole >= 60 && lines.count == whole + 2)
        #expect(
            lines[whole] == "refrain: warn: \(200 - whole) lines were lost before this one because the reader of "
                + "the log was too slow")
    }
}

extension Data {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Data(text.utf8) }
}
