/// The account of larger requests of one kind, in requests to the origin. Pure.
///
/// A larger request takes the place of the client's own, so it costs a request only where the
/// client's answer cannot be made of it. It spares one for each further answer that is.
///
/// Nodes that share a tier use each other's answers, and a value does not say whether it was asked
/// for as a larger one. So a use of another node's answer pays for bytes alone.
///
/// Must hold: requests in vain are at most four, those that uses have paid for, and one for every
/// `missesForOne` misses. All of it is counted in requests, so neither a busy moment nor a clock
/// that jumps changes it.
struct GrowthLedger: Sendable {
    /// A larger answer.
    private struct Entry {
        /// Selections that clients got from it.
        var uses: [Selection]
        /// Whether another node asked for it, which may have been for its own client.
        let isOfOtherNode: Bool
    }

    /// By the number of the larger request.
    private var entries: [UInt64: Entry] = [:]
    private var credit = Self.start
    /// The cost of bytes that no use has paid for.
    private var unpaidBytes = 0
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
        guard credit < Self.start else { return }
        credit += earning
        unpaidBytes = max(0, unpaidBytes - earning)
    }

    /// It is asked for. Its request counts as lost until an answer was made of it.
    /// - Parameter own: the client's own selection, where `settle` tells of that answer.
    mutating func begin(_ numbers: [UInt64], _ own: Selection? = nil) {
        makeRoom(for: numbers)
        // Earlier answers have run out, or the client would have got its own out of one.
        for number in numbers { entries[number] = Entry(uses: own.map { [$0] } ?? [], isOfOtherNode: false) }
        credit -= Self.request + Self.bytes
        unpaidBytes += Self.bytes
    }

    /// Another node's answer has come, and is held in place of an own one that has run out.
    mutating func adopt(page number: UInt64) {
        makeRoom(for: [number])
        entries[number] = Entry(uses: [], isOfOtherNode: true)
    }

    /// Another node's answer has come with these resources; own answers may have them too.
    mutating func adopt(_ numbers: [UInt64]) {
        makeRoom(for: numbers)
        for number in numbers where entries[number] == nil { entries[number] = Entry(uses: [], isOfOtherNode: true) }
    }

    private mutating func makeRoom(for numbers: [UInt64]) {
        let new = numbers.count { entries[$0] == nil }
        while !entries.isEmpty, entries.count + new > maxEntries { entries.remove(at: entries.startIndex) }
    }

    /// The client's answer was made of it: its request was not lost.
    mutating func settle() { credit = min(credit + Self.request, Self.mostCredit) }

    private mutating func noteUse(isOfOtherNode: Bool) {
        let paid = min(unpaidBytes, Self.request)
        unpaidBytes -= paid
        if isOfOtherNode { credit = min(credit + paid, Self.mostCredit) } else { settle() }
    }

    /// A page was cut out of the larger one.
    mutating func note(windowOf number: UInt64) {
        if let entry = entries[number] { noteUse(isOfOtherNode: entry.isOfOtherNode) }
    }

    /// A client got resources in an answer that was stored, or was made of stored answers; true
    /// where that spared a request, because no earlier client got as much.
    mutating func note(_ use: Selection, of numbers: [UInt64]) -> Bool {
        let used = numbers.filter { number in
            entries[number].map { entry in !entry.uses.contains { $0.covers(use) } } ?? false
        }
        guard !used.isEmpty else { return false }
        for number in used { entries[number]?.uses.append(use) }
        noteUse(isOfOtherNode: used.allSatisfy { entries[$0]?.isOfOtherNode == true })
        return true
    }
}
