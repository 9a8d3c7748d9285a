import AppleMusic

/// Resources that are asked for with more relationships and views than the client wants.
package struct Superset: Sendable {
    /// The client's.
    let request: CatalogRequest
    /// Those of its resources that are asked for.
    let resources: [ResourceName]

    /// The numbers under which the index has the resources.
    var numbers: [UInt64] { resources.map { request.indexNumber(ofResource: $0.number) } }
    /// What the client wants of them.
    var selection: Selection { request.shape.selection }
}

/// Account of the larger requests for resources of one type. Pure.
///
/// The larger request takes the place of the client's own, so it costs a request only where the
/// client's answer cannot be made of it, as where it took the origin too long. It spares one when a
/// client later wants of one of its resources what the first one did not.
struct SupersetLedger: Sendable {
    /// By the number of the resource, what clients got of it since it was asked for.
    private var entries: [UInt64: [Selection]] = [:]
    /// In sixteenths of a request.
    private var credit = Self.start
    /// The misses until it is tried again; 0 while it is not overdrawn.
    private var rest = 0

    /// Enough for four that bring nothing, or are under way at the same time.
    private static let start = 64
    private static let mostCredit = 512
    private static let request = 16
    /// The cost of the bytes: one in five was of use (sessions of three kinds of apps), and a limit
    /// counts requests.
    private static let bytes = 1
    private static let maxEntries = 4_096
    /// In misses of the type. Four requests are lost before each rest, so where none is of use one
    /// request in a hundred is.
    static let restLength = 400

    /// Whether another one is worth its risk.
    var mayBegin: Bool { rest == 0 }

    /// A request for resources of the type was not answered out of stored answers.
    mutating func noteMiss() {
        if rest > 0 { rest -= 1 }
    }

    /// It is asked for. Its request counts as lost until the client's answer was made of it.
    mutating func begin(_ superset: Superset) {
        if entries.count + superset.resources.count > Self.maxEntries { entries.removeAll() }
        // Earlier answers have run out, or the client would have got its own out of one.
        for resource in superset.numbers { entries[resource] = [superset.selection] }
        pay(Self.request + Self.bytes)
    }

    /// The client's answer was made of it: its request was not lost.
    mutating func settle() { earn() }

    /// A client got resources in an answer that was stored, or was made of stored answers; true
    /// where that spared a request.
    mutating func note(use answer: Superset) -> Bool {
        guard !entries.isEmpty else { return false }
        var isOfUse = false
        for resource in answer.numbers {
            guard let known = entries[resource], !known.contains(where: { $0.covers(answer.selection) }) else {
                continue
            }
            isOfUse = true
            entries[resource] = known + [answer.selection]
        }
        if isOfUse { earn() }
        return isOfUse
    }

    private mutating func earn() {
        credit = min(credit + Self.request, Self.mostCredit)
    }

    private mutating func pay(_ cost: Int) {
        credit -= cost
        guard credit < 0 else { return }
        rest = Self.restLength
        credit = Self.start
    }
}
