import Foundation
import TestSupport

/// The operations of a process on its cache file, its journals and its segments, in order.
///
/// From them it makes the states in which a loss of power can leave these files.
struct DiskTrace {
    private enum Operation {
        case write(offset: Int, bytes: Range<Int>)
        case truncate(Int)
        case sync
        case remove
    }

    /// The end of a file's name after the database's, by the library's number (`FaultyCalls`).
    static func suffix(_ file: Int) -> String {
        switch file {
        case 1: ""
        case 2: "-wal"
        case 3: "-journal"
        default: ".segments/" + String(repeating: "0", count: 6 - "\(file - 16)".count) + "\(file - 16)"
        }
    }

    private static let sector = 512

    private let bytes: [UInt8]
    private var operations: [(file: Int, Operation)] = []

    /// The behaviour of a disk at `fdatasync`.
    ///
    /// An honest disk may have written more than it had to. A tardy disk has not. A lying disk
    /// reports writes that it has not done, as a program without `fdatasync` would find it.
    enum Disk { case honest, tardy, lying }

    init(_ path: String) throws {
        bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var position = 0
        while position + 16 <= bytes.count {
            let count = Int(number(at: position + 4, 4))
            let offset = Int(number(at: position + 8, 8))
            let start = position + 16
            guard start + count <= bytes.count else { break }
            let operation: Operation =
                switch bytes[position] {
                case UInt8(ascii: "w"): .write(offset: offset, bytes: start..<start + count)
                case UInt8(ascii: "t"): .truncate(offset)
                case UInt8(ascii: "s"): .sync
                default: .remove
                }
            operations.append((Int(number(at: position + 2, 2)), operation))
            position = start + count
        }
    }

    private func number(at position: Int, _ count: Int) -> UInt64 {
        bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    var count: Int { operations.count }
    var removals: Int { operations.count { if case .remove = $0.1 { true } else { false } } }
    var syncs: Int { operations.count { if case .sync = $0.1 { true } else { false } } }

    /// The files after a loss of power that follows the first `count` operations: all synchronised
    /// bytes, and a part of the others, sector by sector, in any order.
    func image(after count: Int, on disk: Disk, _ generator: inout SeededGenerator) -> [Int: [UInt8]] {
        // SQLite makes the database before it writes anything, its journal included.
        var files: [Int: [UInt8]] = [1: []]
        var pending: [Int: [Operation]] = [:]
        for (file, operation) in operations.prefix(count) {
            switch operation {
            case .write, .truncate:
                if files[file] == nil { files[file] = [] }
                pending[file, default: []].append(operation)
            case .sync:
                guard disk != .lying else { continue }
                for each in pending.removeValue(forKey: file) ?? [] { apply(each, to: &files[file, default: []]) }
            case .remove:
                files[file] = nil
                pending[file] = nil
            }
        }
        guard disk != .tardy else { return files }
        for (file, operations) in pending.sorted(by: { $0.key < $1.key }) {
            lose(operations, &files[file, default: []], &generator)
        }
        return files
    }

    /// Nothing of it came to the disk, or the first part, or some sectors.
    private func lose(_ pending: [Operation], _ file: inout [UInt8], _ generator: inout SeededGenerator) {
        let mode = Int.random(in: 0..<20, using: &generator)
        if mode < 3 { return }
        let isPrefix = mode < 6
        let kept = isPrefix ? pending.prefix(Int.random(in: 0...pending.count, using: &generator)) : pending[...]
        for operation in kept {
            guard case .write(let offset, let range) = operation, !isPrefix else {
                if isPrefix || Bool.random(using: &generator) { apply(operation, to: &file) }
                continue
            }
            for start in stride(from: 0, to: range.count, by: Self.sector)
            where Int.random(in: 0..<10, using: &generator) < 6 {
                let end = min(start + Self.sector, range.count)
                let part = range.lowerBound + start..<range.lowerBound + end
                apply(.write(offset: offset + start, bytes: part), to: &file)
            }
        }
    }

    private func apply(_ operation: Operation, to file: inout [UInt8]) {
        switch operation {
        case .write(let offset, let range):
            let end = offset + range.count
            if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
            file.withUnsafeMutableBytes { file in
                bytes.withUnsafeBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: file[offset..<end])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
                }
            }
        case .truncate(let length):
            if file.count > length { file.removeLast(file.count - length) }
            if file.count < length { file += [UInt8](repeating: 0, count: length - file.count) }
        case .sync, .remove:
            break
        }
    }
}
