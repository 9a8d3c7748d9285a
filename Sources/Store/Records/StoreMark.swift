/// One row of one of the tables of marks, which the file keeps besides records.
public struct StoreMark: Sendable, Equatable {
    public enum Table: CaseIterable, Sendable {
        /// A fact that the process keeps by name: up to where the purges that nodes share are
        /// applied.
        case fact
        /// Until when no answers are built in a form of request.
        case rest
        /// When a target or a selection was purged last; an empty key means all.
        case purged
    }

    public enum Value: Sendable, Equatable {
        case text(String)
        /// Unix seconds.
        case time(Int64)
    }

    let table: Table
    public let key: [UInt8]
    public let value: Value

    public init(table: Table, key: [UInt8], value: Value) {
        (self.table, self.key, self.value) = (table, key, value)
    }

    /// The same of a later time.
    func later(by seconds: Int64) -> StoreMark {
        guard seconds != 0, case .time(let time) = value else { return self }
        return StoreMark(table: table, key: key, value: .time(time &+ seconds))
    }

    var byteCount: Int {
        let text = if case .text(let text) = value { text.utf8.count } else { 0 }
        return key.count + text + 128
    }
}
