/// Says which node a request goes to, and which ones after it where that one is gone.
struct TrialBalancer: Sendable {
    enum Way: String, Sendable, CaseIterable {
        /// One node after the other, whatever is asked for.
        case roundRobin
        /// By the first five elements of the path, so by storefront, type and id: what HAProxy does
        /// by `balance uri depth 5` and `hash-type consistent`.
        case byResource
        /// By the first four, so by storefront and type: `balance uri depth 4`. The parts that
        /// answers are composed of are on one node then.
        case byType
    }

    let way: Way
    private var nodes: [Int]
    private var count = 0

    init(_ way: Way, nodes: Range<Int>) { (self.way, self.nodes) = (way, Array(nodes)) }

    mutating func add(_ node: Int) { nodes.append(node) }

    /// Removes a node, as after a failed health check.
    mutating func remove(_ node: Int) { nodes.removeAll { $0 == node } }

    mutating func next(for target: String) -> Int? {
        guard !nodes.isEmpty else { return nil }
        switch way {
        case .roundRobin:
            count += 1
            return nodes[count % nodes.count]
        case .byResource, .byType:
            // The node with the highest hash: as on HAProxy's circle, no key moves between others.
            let path = Self.path(target, depth: way == .byType ? 4 : 5)
            return nodes.max { Self.hash("\($0) \(path)") < Self.hash("\($1) \(path)") }
        }
    }

    private static func path(_ target: String, depth: Int) -> String {
        target.prefix { $0 != "?" }.split(separator: "/").prefix(depth).joined(separator: "/")
    }

    /// FNV-1a, and then the finalizer of SplitMix64, because names that differ in their last digit
    /// have to lie far apart.
    private static func hash(_ text: String) -> UInt64 {
        var hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}
