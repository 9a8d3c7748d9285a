/// A row of one of the tables that the file keeps besides records.
public struct StoreMark: Sendable, Equatable {
    public enum Table: CaseIterable, Sendable {
        /// A fact that the process keeps by name: up to where the purges that nodes share are
        /// applied.
        case fact
        /// Until when no answers are built in a form of request.
        case rest
        /// When answers begin to count that show a number: earlier ones are outdated.
        case floor
        /// A purge by which answers are judged.
        case purge
    }

    /// The effect of a purge that is written down.
    public enum PurgeEffect: String, Sendable {
        case hard, soft
        /// This purge and all before it are not remembered.
        case forgotten
        /// Everything in the file has had its turn for this purge and all before it.
        case swept
    }

    public enum Value: Sendable, Equatable {
        case text(String)
        /// Unix seconds.
        case time(Int64)
        /// The number of a purge.
        case purge(Int64, PurgeEffect)
    }

    let table: Table
    public let key: [UInt8]
    /// The origin that a rest or a floor concerns. Facts and purges concern all.
    public internal(set) var origin = OriginTag.none
    public let value: Value

    public init(table: Table, key: [UInt8], value: Value) {
        (self.table, self.key, self.value) = (table, key, value)
    }

    /// A form of request in which no answers of this origin are built until then, in unix seconds.
    public init(restOf target: [UInt8], of origin: OriginTag, until: Int64) {
        self.init(table: .rest, key: target, value: .time(until))
        self.origin = origin
    }

    /// Answers of this origin received before `time`, unix seconds, are outdated for the number.
    public init(floorOf number: UInt64, of origin: OriginTag, at time: Int64) {
        var digits: [UInt8] = []
        digits.appendHexadecimal(number)
        self.init(table: .floor, key: digits, value: .time(time))
        self.origin = origin
    }

    /// The number of a floor; nil for other marks.
    public var number: UInt64? {
        table == .floor ? UInt64(String(decoding: key, as: UTF8.self), radix: 16) : nil
    }

    /// A purge of what these words mean; they are compared and copied.
    public init(purge number: Int64, _ effect: PurgeEffect, words: [UInt8]) {
        self.init(table: .purge, key: words, value: .purge(number, effect))
    }

    var byteCount: Int {
        let text = if case .text(let text) = value { text.utf8.count } else { 0 }
        return key.count + text + 128
    }
}
