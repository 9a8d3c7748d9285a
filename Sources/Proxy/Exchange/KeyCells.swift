import Cache
import Synchronization

/// Notes about the latest keys, for a fixed number of them.
///
/// Each cell is for the keys of one remainder: the newest takes the place of an older one. Keys are
/// told apart by their hash alone, which is drawn anew in each process.
final class KeyCells<Note: Sendable>: Sendable {
    private struct Cell {
        let hash: Int
        let note: Note
    }

    private static var cellCount: Int { 512 }
    private let cells = Mutex([Cell?](repeating: nil, count: KeyCells.cellCount))

    /// The note about a key, if it is remembered.
    subscript(key: CacheKey) -> Note? {
        let hash = key.hashValue
        return cells.withLock { $0[Self.index(hash)] }.flatMap { $0.hash == hash ? $0.note : nil }
    }

    func put(_ note: Note, for key: CacheKey) {
        let cell = Cell(hash: key.hashValue, note: note)
        cells.withLock { $0[Self.index(cell.hash)] = cell }
    }

    private static func index(_ hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(cellCount)) }
}
