import Foundation
import TestSupport
import Testing

@testable import Recording

@Suite struct RecordedBodiesTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func bodies(_ bytes: [UInt8]) throws -> RecordedBodies {
        try folder.put(bytes, "r.bodies")
        return try RecordedBodies(beside: folder.path + "/r")
    }

    private static func hash(_ text: String) throws -> BodyHash { try #require(BodyHash(of: Array(text.utf8))) }

    private static func record(_ text: String) throws -> [UInt8] {
        RecordedBodies.record(try hash(text), Array(text.utf8))
    }

    @Test func bodiesAreFoundByTheirHash() throws {
        let texts = ["", "a", "{\"data\":[]}", String(repeating: "\n", count: 200_000)]
        let bodies = try bodies(texts.flatMap { try Self.record($0) })
        #expect(bodies.count == 4)
        for text in texts { #expect(try bodies.content(of: Self.hash(text)) == Array(text.utf8)) }
        #expect(try bodies.content(of: Self.hash("b")) == nil)
    }

    @Test func noFileIsNoBodies() throws {
        #expect(try RecordedBodies(beside: folder.path + "/none").count == 0)
        #expect(try bodies([]).count == 0)
    }

    @Test func aFileCutAnywhereKeepsItsWholeRecords() throws {
        let first = try Self.record("one")
        let both = try first + Self.record("two")
        for end in 0...both.count {
            let bodies = try bodies(Array(both[..<end]))
            #expect(bodies.count == (end == both.count ? 2 : end >= first.count ? 1 : 0), "cut at \(end)")
        }
    }

    @Test func aChangedBodyIsNotReturned() throws {
        var bytes = try Self.record("one")
        bytes[bytes.count - 2] ^= 1
        let bodies = try bodies(bytes)
        #expect(throws: RecordingError.self) { try bodies.content(of: Self.hash("one")) }
    }

    @Test func foreignAndHostileFilesSayAtWhichByte() throws {
        let hash = try Self.hash("x").description
        for text in [
            "<html>\n", hash + " -1\n", hash + " 8388609\n", hash + " 99999999999999999999\n", hash + "\n",
            hash.uppercased() + " 1\nx\n", hash + " 1 1\nx\n", hash + " 1\nx" + hash + " 1\nx\n", hash + " +1\nx\n",
            String(repeating: "x", count: 500), "\u{0}\u{0}\n",
        ] {
            #expect(throws: RecordingError.self, "\(text)") { try bodies(Array(text.utf8)) }
        }
        do {
            _ = try bodies(Self.record("one") + Array("junk\n".utf8))
            Issue.record("read")
        } catch {
            #expect("\(error)".hasSuffix("r.bodies: at byte 71 there is no hash and length of a body"))
        }
    }
}
