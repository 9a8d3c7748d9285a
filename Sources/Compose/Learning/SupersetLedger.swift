import AppleMusic

/// Resources that are asked for with more relationships than the client wants.
package struct Superset: Sendable {
    /// The client's.
    let request: CatalogRequest
    /// Those of its resources that are asked for.
    let resources: [ResourceName]

    /// The numbers under which the index has the resources.
    var numbers: [UInt64] { resources.map { request.indexNumber(ofResource: $0.number) } }
    /// What the client wants of them.
    var include: [[UInt8]] { request.shape.include }
}

/// What it brought to ask for more relationships than clients did, for the resources of one type.
/// Pure.
///
/// The larger request takes the place of the client's own, so it costs a request only where the
/// client's answer cannot be made of it, as where it took the origin too long. It spares one when a
/// client later wants of one of its resources what the first one did not.
struct SupersetLedger: Sendable {
    /// By the number of the resource, what clients got of it since it was asked for.
    private var entries: [UInt64: [[[UInt8]]]] = [:]
    /// In sixteenths of a request.
    private var credit = Self.start
    /// Unix seconds.
    private var restsUntil: Int64 = 0

    /// Enough for four that bring nothing, or are under way at the same time.
    private static let start = 64
    private static let mostCredit = 512
    private static let request = 16
    /// What the bytes cost. One in five was of use (sessions of three kinds of apps), and a limit
    /// counts requests.
    private static let bytes = 1
    private static let maxEntries = 4_096
    /// In seconds: what did not pay is tried again after that time.
    static let rest: Int64 = 600

    /// Whether another one is worth its risk.
    func mayBegin(at now: Int64) -> Bool { now >= restsUntil }

    /// It is asked for. Its request counts as lost until the client's answer was made of it.
    mutating func begin(_ superset: Superset, at now: Int64) {
        if entries.count + superset.resources.count > Self.maxEntries { entries.removeAll() }
        for resource in superset.numbers where entries[resource]?.contains(superset.include) != true {
            entries[resource, default: []].append(superset.include)
        }
        pay(Self.request + Self.bytes, at: now)
    }

    /// The client's answer was made of it: its request was not lost.
    mutating func settle() { earn() }

    /// A client got an answer that was made of what is held.
    mutating func note(made answer: Superset) {
        guard !entries.isEmpty else { return }
        var isOfUse = false
        for resource in answer.numbers {
            guard let includes = entries[resource],
                !includes.contains(where: { answer.include.allSatisfy($0.contains) })
            else { continue }
            isOfUse = true
            entries[resource] = includes + [answer.include]
        }
        if isOfUse { earn() }
    }

    private mutating func earn() {
        credit = min(credit + Self.request, Self.mostCredit)
    }

    private mutating func pay(_ cost: Int, at now: Int64) {
        credit -= cost
        guard credit < 0 else { return }
        restsUntil = now + Self.rest
        credit = Self.start
    }
}
