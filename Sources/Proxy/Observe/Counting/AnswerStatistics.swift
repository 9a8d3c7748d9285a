import Freshness
import Synchronization

// Answers that went out to clients, by outcome and status.
// Must hold: each request and each preflight is counted once: whole answers when they are handed to
// the connection, streamed ones when they end, with the status of the head that the client got.
// Requests that were refused before they were read, and each stream of HTTP/2, are counted alike.
// An answer counts under `none` if its client left before the request was sent (`client-left`), or
// if its connection or stream was closed here by then, so the sum over statuses is all requests and
// preflights. Other clients that leave count as answered: the end of their side may be all that
// they closed. Interim responses (100, 103), streams and connections closed without an answer, the
// health path and the admin listener are not counted.

/// Counts the answers of one loop. Written by that loop, read by anyone.
final class AnswerStatistics: Sendable {
    private let cells: InlineArray<517, Atomic<Int>>
    /// The column of each status.
    private let columns: InlineArray<600, UInt8>

    init() {
        precondition(AnswerCounts.rowCount * AnswerCounts.columnCount == 517, "one cell for each pair")
        cells = InlineArray { _ in Atomic<Int>(0) }
        columns = InlineArray { AnswerCounts.column(ofStatus: $0) }
    }

    /// Counts one; only on the loop that owns these counters.
    /// - Parameter row: an outcome's number, or `AnswerCounts.preflights`.
    @inline(__always)
    func count(_ status: Int, in row: Int) {
        let index = row &* AnswerCounts.columnCount &+ Int(columns[min(status, 599)])
        cells[index].store(cells[index].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// The counts by now.
    var snapshot: AnswerCounts {
        var counts = AnswerCounts()
        for index in counts.cells.indices { counts.cells[index] = cells[index].load(ordering: .relaxed) }
        return counts
    }
}

/// Numbers of answers to clients by outcome and status, since the start or within a time.
public struct AnswerCounts: Sendable, Equatable {
    /// The statuses that have a name of their own. Others count by class, so that no origin makes
    /// more names; from 600 on as 5xx (RFC 9110 15).
    static let listed = [
        200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 414,
        415, 416, 417, 421, 422, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 508,
    ]
    /// Stands for the status of an answer that did not go out, because the client had left.
    static let noStatus = 0
    /// The row of preflights, after those of the outcomes.
    static let preflights = Outcome.allCases.count
    fileprivate static let rowCount = preflights + 1
    fileprivate static let columnCount = listed.count + 6
    /// `1xx` to `5xx`.
    public static let classes = (1...5).map { "\($0)xx" }
    private static let names = listed.map(String.init) + ["none"] + classes

    /// Counts by row and status: the statuses of the first row, then those of the next.
    fileprivate var cells = [Int](repeating: 0, count: rowCount * columnCount)

    /// Nothing yet.
    init() {}

    /// The column of a status from 0 to 599.
    fileprivate static func column(ofStatus status: Int) -> UInt8 {
        UInt8(listed.firstIndex(of: status) ?? listed.count + status / 100)
    }

    /// The first digit of a column's statuses; 0 for `none`.
    private static func digit(ofColumn column: Int) -> Int {
        column < listed.count ? listed[column] / 100 : column - listed.count
    }

    /// By status, in order, by class for those without a name; those that did not occur are left
    /// out.
    public var byStatus: [(name: String, count: Int)] {
        let columns = (0..<Self.columnCount).sorted { Self.order(of: $0) < Self.order(of: $1) }
        return columns.map { column in
            (Self.names[column], (0..<Self.rowCount).reduce(0) { $0 + cells[$1 * Self.columnCount + column] })
        }.filter { $0.count > 0 }
    }

    private static func order(of column: Int) -> (Int, Int) { (digit(ofColumn: column), column) }

    /// By class, from `1xx` to `5xx`.
    public var byClass: [Int] {
        (0..<Self.rowCount).reduce([0, 0, 0, 0, 0]) { sums, row in zip(sums, byClass(row)).map(+) }
    }

    /// By class, of one outcome; nil for preflights.
    public func byClass(_ outcome: Outcome?) -> [Int] { byClass(outcome?.rawValue ?? Self.preflights) }

    private func byClass(_ row: Int) -> [Int] {
        (0..<Self.columnCount).reduce(into: [0, 0, 0, 0, 0]) { sums, column in
            let digit = Self.digit(ofColumn: column)
            if digit > 0 { sums[digit - 1] += cells[row * Self.columnCount + column] }
        }
    }

    /// Adds those of another loop.
    static func += (left: inout AnswerCounts, right: AnswerCounts) {
        for index in left.cells.indices { left.cells[index] += right.cells[index] }
    }
}
