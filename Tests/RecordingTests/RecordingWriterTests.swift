import Foundation
import TestSupport
import Testing
import Text

@testable import Recording

private let header = RecordingHeader(
    started: Timestamp(microseconds: 1_795_305_600_000_000), program: "refrain 1.2", sampling: 0.5)

/// Exchanges as they come, with few bodies among them.
private struct Traffic {
    var random: SeededGenerator
    private(set) var exchanges: [RecordedExchange] = []
    private(set) var contents: [BodyHash: [UInt8]] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Hands the next exchange to a writer.
    @discardableResult
    mutating func append(to writer: RecordingWriter) -> RecordedExchange {
        var exchange = ExchangeGenerator.exchange(exchanges.count, &random)
        let letter = exchange.isPersonal ? 0 : UInt8.random(in: 0...20, using: &random)
        let content = [UInt8](repeating: letter, count: Int(letter) * 40)
        exchange.body = content.isEmpty ? nil : BodyHash(of: content)
        if let hash = exchange.body { contents[hash] = content }
        exchanges.append(exchange)
        writer.append(exchange) { content }
        return exchange
    }

    mutating func append(_ count: Int, to writer: RecordingWriter) {
        for _ in 0..<count { append(to: writer) }
    }
}

@Suite struct RecordingWriterTests {
    private let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    private func writer() throws -> RecordingWriter {
        try RecordingWriter(RecordingSettings(path: folder.file()), header: header)
    }

    @Test func theReaderReadsWhatTheWriterWrote() throws {
        let seed = UInt64.random(in: .min ... .max)
        var traffic = Traffic(seed: seed)
        let writer = try self.writer()
        for _ in 0..<300 {
            traffic.append(to: writer)
            if Int.random(in: 0..<20, using: &traffic.random) == 0 { writer.flush() }
        }
        writer.flush()
        #expect(writer.failure == nil && writer.exchanges == 300 && writer.lost == 0)
        let reader = try RecordingReader(path: folder.file())
        #expect(reader.header == header)
        #expect(try reader.rest() == traffic.exchanges, "seed \(seed)")
        #expect(reader.bodies.count == traffic.contents.count && reader.warnings.isEmpty, "seed \(seed)")
        for (hash, content) in traffic.contents { #expect(try reader.bodies.content(of: hash) == content) }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file())
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(writer.bytes == (try folder.bytes().count) + (try folder.bytes("traffic.jsonl.bodies").count))
    }

    @Test func fullRecordingsMoveUpAndTheOldestGoes() throws {
        let seed = UInt64.random(in: .min ... .max)
        var traffic = Traffic(seed: seed)
        let settings = RecordingSettings(path: folder.file(), mostBytes: 20_000, mostFiles: 3)
        let writer = try RecordingWriter(settings, header: header)
        traffic.append(400, to: writer)
        writer.flush()
        let names = ["", ".1", ".2"].map { "traffic.jsonl" + $0 }
        #expect(try folder.names == names.flatMap { [$0, $0 + ".bodies"] }.sorted())
        var kept: [RecordedExchange] = []
        for name in names.reversed() {
            let reader = try RecordingReader(path: folder.file(name))
            let exchanges = try reader.rest()
            #expect(reader.header == header, "offsets go on")
            for hash in exchanges.compactMap(\.body) {
                #expect(try reader.bodies.content(of: hash) == traffic.contents[hash], "\(name) has its own bodies")
            }
            #expect(try folder.bytes(name).count + folder.bytes(name + ".bodies").count <= settings.mostBytes)
            kept += exchanges
        }
        #expect(kept == Array(traffic.exchanges.suffix(kept.count)) && kept.count > 50, "seed \(seed)")
        #expect(writer.exchanges == 400)
    }

    @Test func anotherRunLeavesTheRecordingOfTheOneBefore() throws {
        var traffic = Traffic(seed: 1)
        for _ in 0..<2 {
            let writer = try self.writer()
            traffic.append(to: writer)
            writer.flush()
        }
        #expect(try RecordingReader(path: folder.file("traffic.jsonl.1")).rest() == [traffic.exchanges[0]])
        #expect(try RecordingReader(path: folder.file()).rest() == [traffic.exchanges[1]])
        // A file without exchanges is not worth a place.
        _ = try self.writer()
        _ = try self.writer()
        #expect(try !folder.names.contains("traffic.jsonl.3"))
    }

    @Test(arguments: [
        "hello\n", "{}\n", "{\"log\":{}}", "{\"refrain_recording\":2,\"started\":\"2026-11-22T00:00:00Z\"}\nx",
    ])
    func nothingThatIsNoRecordingIsWrittenOver(text: String) throws {
        for name in ["traffic.jsonl", "traffic.jsonl.1"] {
            if name.hasSuffix("1") { try folder.put(header.line + [0x7B], "traffic.jsonl") }
            try folder.put(text.utf8, name)
            #expect(throws: RecordingError.self) { try writer() }
            #expect(try folder.bytes(name) == Array(text.utf8))
        }
    }

    @Test func aDirectoryALinkOrAPipeIsNoRecording() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.file(), withDestinationPath: "/dev/null")
        #expect(throws: RecordingError.self) { try writer() }
        try folder.remove("traffic.jsonl")
        #expect(mkfifo(folder.file(), 0o600) == 0)
        #expect(throws: RecordingError.self) { try writer() }
        #expect(throws: RecordingError.self) {
            try RecordingWriter(RecordingSettings(path: folder.file("none/traffic")), header: header)
        }
    }

    /// Others could have written it, or have its descriptor open.
    @Test(arguments: ["traffic.jsonl", "traffic.jsonl.bodies", "traffic.jsonl.1", "traffic.jsonl.1.bodies"])
    func aFileThatOthersCanWriteToIsNotMovedOrRemoved(_ name: String) throws {
        _ = try recording("traffic.jsonl", seed: 4)
        let bytes = name.contains(".1") ? [] : try folder.bytes(name)
        if bytes.isEmpty { _ = try recording("traffic.jsonl.1", seed: 5) }
        let content = try folder.bytes(name)
        #expect(chmod(folder.file(name), 0o666) == 0)
        let error = #expect(throws: RecordingError.self) { try writer() }
        #expect(error?.description.hasPrefix("\(folder.file(name)) (-rw-rw-rw- ") == true, "\(error as Any)")
        #expect(try folder.bytes(name) == content)
    }

    /// Writes a recording of five exchanges at this name, and returns its content.
    private func recording(_ name: String, seed: UInt64) throws -> Traffic {
        var traffic = Traffic(seed: seed)
        let writer = try RecordingWriter(RecordingSettings(path: folder.file(name)), header: header)
        traffic.append(5, to: writer)
        writer.flush()
        try #require(!traffic.contents.isEmpty)
        return traffic
    }

    private func expect(_ traffic: Traffic, at path: String) throws {
        let reader = try RecordingReader(path: path)
        #expect(try reader.rest() == traffic.exchanges)
        for (hash, content) in traffic.contents { #expect(try reader.bodies.content(of: hash) == content) }
    }

    /// A writer that was stopped between the two moves left the bodies without their lines; later
    /// only a stop between the moves of FILE was mended, and the bodies of an older one were
    /// written over.
    @Test func aStopBetweenMovesLosesNoBodies() throws {
        // FILE was on its way to FILE.1.
        let only = try recording("traffic.jsonl", seed: 3)
        try folder.move("traffic.jsonl", to: "traffic.jsonl.1")
        _ = try self.writer()
        try expect(only, at: folder.file("traffic.jsonl.1"))
        for name in try folder.names { try folder.remove(name) }
        // FILE.1 was on its way to FILE.2, and FILE had not moved yet.
        let older = try recording("older", seed: 6)
        let newer = try recording("traffic.jsonl", seed: 7)
        try folder.move("older", to: "traffic.jsonl.2")
        try folder.move("older.bodies", to: "traffic.jsonl.1.bodies")
        _ = try RecordingWriter(RecordingSettings(path: folder.file(), mostFiles: 4), header: header)
        try expect(older, at: folder.file("traffic.jsonl.2"))
        try expect(newer, at: folder.file("traffic.jsonl.1"))
        #expect(try folder.names.count == 6)
    }

    /// `rm traffic.jsonl` and `mv traffic.jsonl x`, which leave the bodies: these were removed, or
    /// recording was refused.
    @Test(arguments: [true, false]) func bodiesWithoutTheirLinesAreMovedAside(isMoved: Bool) throws {
        let writer = try self.writer()
        var traffic = Traffic(seed: 8)
        while traffic.contents.isEmpty { traffic.append(to: writer) }
        writer.flush()
        let bodies = try folder.bytes("traffic.jsonl.bodies")
        if isMoved { try folder.move("traffic.jsonl", to: "x") } else { try folder.remove("traffic.jsonl") }
        #expect(try writer.reopen())
        let left = try #require(try folder.names.first { $0.hasPrefix("traffic.jsonl.bodies.left-") })
        #expect(try folder.bytes(left) == bodies)
        let exchange = traffic.append(to: writer)
        writer.flush()
        #expect(try RecordingReader(path: folder.file()).rest() == [exchange] && writer.failure == nil)
    }

    @Test func aMovedFileIsFollowedByANewOne() throws {
        var traffic = Traffic(seed: 4)
        let writer = try self.writer()
        let first = traffic.append(to: writer)
        #expect(try !writer.reopen())
        for name in ["traffic.jsonl", "traffic.jsonl.bodies"] { try folder.move(name, to: "old-" + name) }
        let second = traffic.append(to: writer)
        // Exchanges in hand belong to the old file.
        #expect(try writer.reopen())
        let third = traffic.append(to: writer)
        writer.flush()
        #expect(try RecordingReader(path: folder.file("old-traffic.jsonl")).rest() == [first, second])
        #expect(try RecordingReader(path: folder.file()).rest() == [third])
    }

    @Test func lostExchangesAreCountedAndReported() throws {
        var traffic = Traffic(seed: 5)
        let settings = RecordingSettings(path: folder.file(), mostBytes: 3_000, mostFiles: 2)
        let writer = try RecordingWriter(settings, header: header)
        // The next file's name is taken by a file that the program must not remove.
        try folder.put("mine".utf8, "traffic.jsonl.1")
        for _ in 0..<40 {
            traffic.append(to: writer)
            writer.flush()
        }
        #expect(writer.failure != nil && writer.lost > 0)
        #expect(writer.lost + writer.exchanges == 40)
        let lost = writer.lost
        try folder.remove("traffic.jsonl.1")
        writer.flush()
        #expect(writer.failure == nil && writer.lost == lost)
        let exchange = traffic.append(to: writer)
        writer.flush()
        let reader = try RecordingReader(path: folder.file())
        #expect(try reader.rest() == [exchange])
        #expect(reader.warnings.count == 1 && reader.warnings[0].contains("\(lost) exchange"))
    }
}
