/// The account of larger requests of one kind, in requests to the origin. Pure.
///
/// A larger request takes the place of the client's own, so it costs a request only where the
/// client's answer cannot be made of it. It spares one for each further answer that is.
///
/// Must hold: requests in vain are at most four, those that uses have paid for, and one for every
/// `missesForOne` misses. All of it is counted in requests, so neither a busy moment nor a clock
/// that jumps changes it.
struct GrowthLedger: Sendable {
    /// By the number of the larger request: the clients' uses of its answer since.
    private var entries: [UInt64: [Selection]] = [:]
    private var credit = Self.start
    private let earning: Int
    private let maxEntries: Int

    /// The unit is chosen so that all costs are whole.
    private static let request = 1_500
    /// The cost of the bytes: one use in 15 pays for them, because a limit counts requests.
    private static let bytes = 100
    /// Four may be in vain, or under way at the same time.
    private static let start = 4 * (request + bytes)
    private static let mostCredit = 10 * request

    /// - Parameters:
    ///   - missesForOne: how many misses pay for another try, once all were in vain.
    ///   - maxEntries: beyond, uses of some are not counted.
    init(missesForOne: Int, maxEntries: Int) {
        earning = Self.request / missesForOne
        self.maxEntries = maxEntries
    }

    /// Whether another one is worth its risk.
    var mayBegin: Bool { credit >= Self.request }

    /// A request of the kind was not answered out of stored answers.
    mutating func noteMiss() {
        if credit < Self.start { credit += earning }
    }

    /// It is asked for. Its request counts as lost until an answer was made of it.
    /// - Parameter own: the client's own selection, where `settle` tells of that answer.
    mutating func begin(_ numbers: [UInt64], _ own: Selection? = nil) {
        while !entries.isEmpty, entries.count + numbers.count > maxEntries { entries.remove(at: entries.startIndex) }
        // Earlier answers have run out, or the client would have got its own out of one.
        for number in numbers { entries[number] = own.map { [$0] } ?? [] }
        credit -= Self.request + Self.bytes
    }

    /// The client's answer was made of it: its request was not lost.
    mutating func settle() { credit = min(credit + Self.request, Self.mostCredit) }

    /// A page was cut out of the larger one.
    mutating func note(windowOf number: UInt64) {
        if entries[number] != nil { settle() }
    }

    /// A client got resources in an answer that was stored, or was made of stored answers; true
    /// where that spared a request, because no earlier client got as much.
    mutating func note(_ use: Selection, of numbers: [UInt64]) -> Bool {
        var isOfUse = false
        for number in numbers {
            guard let known = entries[number], !known.contains(where: { $0.covers(use) }) else { continue }
            isOfUse = true
            entries[number] = known + [use]
        }
        if isOfUse { settle() }
        return isOfUse
    }
}
