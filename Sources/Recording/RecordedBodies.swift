// The bodies of a recording: each once, under its hash, in one file next to the lines.
//
// `FILE.bodies` is a sequence of `HASH LENGTH\n`, the bytes, `\n`. A body is appended before the
// first line that names it, so a killed writer leaves a file that is whole up to its last record.

import Glibc
import HTTP

/// Bodies by their hash; each is read when it is asked for. Nothing changes after `init`, and
/// `pread` has no position to share.
public final class RecordedBodies: Sendable {
    private let path: String
    /// -1: there is no file.
    private let descriptor: CInt
    /// The range of each body in the file.
    private let places: [BodyHash: Range<Int>]
    /// Bodies of a HAR file or an index, in memory.
    private let held: [BodyHash: [UInt8]]

    /// Name of the file of a recording's bodies.
    public static func path(beside recording: String) -> String { recording + ".bodies" }

    /// The longest body that is recorded, in bytes.
    public static let longest = 8 << 20

    init(_ held: [BodyHash: [UInt8]]) {
        path = ""
        descriptor = -1
        places = [:]
        self.held = held
    }

    /// The bodies next to a recording; none where there is no such file. Their heads are read, not
    /// the bodies.
    init(beside recording: String) throws(RecordingError) {
        path = Self.path(beside: recording)
        held = [:]
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw .cannotRead(path: path, code: errno) }
            places = [:]
            return
        }
        places = try Self.readPlaces(descriptor, path)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    var count: Int { places.count + held.count }

    /// The stored equal hash, so that a million exchanges share few arrays; nil without such a
    /// body. Does not check that the body can be read.
    func shared(_ hash: BodyHash) -> BodyHash? {
        if let index = places.index(forKey: hash) { return places[index].key }
        return held.index(forKey: hash).map { held[$0].key }
    }

    /// The body; nil where it was not recorded.
    /// - Throws: `RecordingError` when it cannot be read, or differs from the recorded one.
    func content(of hash: BodyHash) throws(RecordingError) -> [UInt8]? {
        if let content = held[hash] { return content }
        guard let place = places[hash] else { return nil }
        let content = try Self.read(descriptor, path, place.lowerBound, place.count)
        guard content.count == place.count, BodyHash(of: content) == hash else {
            throw .badFile(path: path, reason: "the body at byte \(place.lowerBound) is not the one that was recorded")
        }
        return content
    }

    /// The body without its coding: other recorders keep the bytes of the wire. nil where it was
    /// not recorded.
    /// - Throws: as `content`.
    public func identity(of hash: BodyHash) throws(RecordingError) -> [UInt8]? {
        guard let content = try content(of: hash) else { return nil }
        guard content.starts(with: [0x1F, 0x8B]) else { return content }
        return (try? Gzip.system.inflate(content)) ?? content
    }

    /// The record of a body, as it is appended.
    static func record(_ hash: BodyHash, _ content: [UInt8]) -> [UInt8] {
        Array("\(hash) \(content.count)\n".utf8) + content + [0x0A]
    }

    /// Leaves out a last record that is not whole: its writer was stopped.
    private static func readPlaces(
        _ descriptor: CInt, _ path: String
    ) throws(RecordingError) -> [BodyHash: Range<Int>] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .cannotRead(path: path, code: errno) }
        let size = Int(status.st_size)
        var places: [BodyHash: Range<Int>] = [:]
        var offset = 0
        while offset < size {
            let head = try read(descriptor, path, offset, min(longestHead, size - offset))
            guard let end = head.firstIndex(of: 0x0A) else {
                guard size - offset < longestHead else { throw notARecord(path, offset) }
                return places
            }
            let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ")
            guard words.count == 2, let hash = BodyHash(words[0]), let count = number(words[1]),
                (0...longest).contains(count)
            else { throw notARecord(path, offset) }
            let start = offset + end + 1
            guard start + count < size else { return places }
            places[hash] = start..<start + count
            offset = start + count + 1
        }
        return places
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(text) : nil
    }

    /// 64 digits, a space, seven digits, the line end, and some.
    private static let longestHead = 96

    private static func notARecord(_ path: String, _ offset: Int) -> RecordingError {
        .badFile(path: path, reason: "at byte \(offset) there is no hash and length of a body")
    }

    private static func read(
        _ descriptor: CInt, _ path: String, _ offset: Int, _ count: Int
    ) throws(RecordingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset + done))
            }
            if got == 0 { break }
            if got < 0 {
                if errno == EINTR { continue }
                throw .cannotRead(path: path, code: errno)
            }
            done += got
        }
        return Array(bytes[..<done])
    }
}
