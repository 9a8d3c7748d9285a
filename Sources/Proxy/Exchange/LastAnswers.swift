import Cache
import Freshness
import Synchronization

/// The origin's last answers to requests of which nothing was stored, for `explain`.
///
/// A fixed number of cells, each for the keys of one remainder: the newest takes the place of an
/// older one. Keys are told apart by their hash alone, since what is shown decides nothing.
final class LastAnswers: Sendable {
    private struct Cell {
        let hash: Int
        let answer: LastAnswer
    }

    private static let cellCount = 512
    private let cells = Mutex([Cell?](repeating: nil, count: LastAnswers.cellCount))

    /// - Parameter status: the origin's; nil where it gave none.
    func note(_ key: CacheKey, _ status: Int?, _ reason: Reason, at unixSeconds: Int64) {
        let cell = Cell(
            hash: key.hashValue, answer: LastAnswer(status: status, reason: reason, unixSeconds: unixSeconds))
        cells.withLock { $0[Self.index(cell.hash)] = cell }
    }

    /// The last of those to requests under this key, if it is remembered.
    subscript(key: CacheKey) -> LastAnswer? {
        let hash = key.hashValue
        return cells.withLock { $0[Self.index(hash)] }.flatMap { $0.hash == hash ? $0.answer : nil }
    }

    private static func index(_ hash: Int) -> Int { Int(UInt(bitPattern: hash) % UInt(cellCount)) }
}
