import AppleMusic
import Synchronization
import Upstream

/// Requests that one loop has sent to the origin, each of them: by class and purpose, by route, by
/// client. Written by that loop, read by anyone.
final class OriginSpending: Sendable {
    private let cells: InlineArray<162, Atomic<Int>>
    private let routes: InlineArray<70, Atomic<Int>>
    private let spenders = Mutex(Spenders())

    init() {
        precondition(ResourceClass.allCases.count * UpstreamPurpose.allCases.count == 162, "one cell for each pair")
        precondition(RouteTemplate.texts.count == 70, "one cell for each route")
        cells = InlineArray { _ in Atomic<Int>(0) }
        routes = InlineArray { _ in Atomic<Int>(0) }
    }

    /// Counts one; only on the loop that owns these counters.
    func count(_ label: UpstreamLabel, isRepeated: Bool) {
        let purpose = isRepeated ? UpstreamPurpose.retry.rawValue : label.purpose
        let (cell, route) = (SpendingCounts.cell(label.resourceClass, purpose), label.route)
        cells[cell].store(cells[cell].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        routes[route].store(routes[route].load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        spenders.withLock { $0.count(label.spender) }
    }

    /// The counts by now.
    var snapshot: SpendingCounts {
        var counts = SpendingCounts()
        for index in counts.cells.indices { counts.cells[index] = cells[index].load(ordering: .relaxed) }
        for index in counts.routes.indices { counts.routes[index] = routes[index].load(ordering: .relaxed) }
        (counts.spenders, counts.others) = spenders.withLock { ([$0.rows], $0.others) }
        return counts
    }
}

extension UpstreamLabel {
    init(_ route: Route, _ purpose: UpstreamPurpose, of spender: UpstreamParty) {
        self.init(
            resourceClass: Int(route.resourceClass.rawValue), purpose: purpose.rawValue, route: route.templateNumber,
            spender: spender)
    }
}

/// A way to tell requests to the origin apart. Each one takes in all requests, so the sums are the
/// same.
public enum SpendingAxis: String, CaseIterable, Sendable {
    case `class`, purpose, client, route
}

/// A value by which an axis tells requests apart.
public enum SpendingKey: Hashable, Sendable {
    case resourceClass(ResourceClass)
    case purpose(UpstreamPurpose)
    /// An index of `RouteTemplate.texts`.
    case route(Int)
    case client(UpstreamParty)
    /// Networks that have no row of their own.
    case otherNetworks
}

/// Numbers of requests that were sent to the origin, since the start or within a time.
public struct SpendingCounts: Sendable {
    /// Counts by class and purpose: the purposes of the first class, then those of the next.
    fileprivate(set) var cells = [Int](repeating: 0, count: ResourceClass.allCases.count * purposeCount)
    private static let purposeCount = UpstreamPurpose.allCases.count

    /// The index in `cells`, by the numbers of both.
    fileprivate static func cell(_ resourceClass: Int, _ purpose: Int) -> Int {
        resourceClass * purposeCount + purpose
    }

    fileprivate(set) var routes = [Int](repeating: 0, count: RouteTemplate.texts.count)
    /// By loop.
    fileprivate(set) var spenders: [[Spenders.Row]] = []
    fileprivate(set) var others = 0

    /// Nothing yet.
    public init() {}

    /// The sum of all requests.
    public var total: Int { cells.reduce(0, +) }

    /// By class and purpose; pairs that did not occur are left out.
    public var pairs: [(resourceClass: ResourceClass, purpose: UpstreamPurpose, count: Int)] {
        ResourceClass.allCases.flatMap { each in
            UpstreamPurpose.allCases.map { (each, $0, cells[Self.cell(Int(each.rawValue), $0.rawValue)]) }
        }.filter { $0.count > 0 }
    }

    /// Counts along an axis; values that did not occur are left out.
    public func counts(by axis: SpendingAxis) -> [SpendingKey: Int] {
        var counts: [SpendingKey: Int] = [:]
        switch axis {
        case .class: for pair in pairs { counts[.resourceClass(pair.resourceClass), default: 0] += pair.count }
        case .purpose: for pair in pairs { counts[.purpose(pair.purpose), default: 0] += pair.count }
        case .route: for (index, count) in routes.enumerated() { counts[.route(index)] = count }
        case .client:
            for row in spenders.joined() { counts[.client(row.party), default: 0] += row.count }
            counts[.otherNetworks] = others
        }
        return counts.filter { $0.value > 0 }
    }

    /// Adds those of another loop.
    mutating func add(_ loop: SpendingCounts) {
        for index in cells.indices { cells[index] += loop.cells[index] }
        for index in routes.indices { routes[index] += loop.routes[index] }
        spenders += loop.spenders
        others += loop.others
    }

    /// The requests sent after `earlier`, of the same loops. Networks that have lost their rows
    /// since are among the others.
    public func since(_ earlier: SpendingCounts) -> SpendingCounts {
        var result = self
        for index in cells.indices { result.cells[index] -= earlier.cells[index] }
        for index in routes.indices { result.routes[index] -= earlier.routes[index] }
        result.others -= earlier.others
        for (loop, rows) in earlier.spenders.enumerated() {
            let places = Dictionary(uniqueKeysWithValues: spenders[loop].enumerated().map { ($1.number, $0) })
            for row in rows {
                if let place = places[row.number] {
                    result.spenders[loop][place].count -= row.count
                } else {
                    result.others -= row.count
                }
            }
        }
        return result
    }
}
