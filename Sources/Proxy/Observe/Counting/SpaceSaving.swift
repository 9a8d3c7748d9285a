import Cache
import Freshness

// The heaviest keys of a stream in bounded room: the Space-Saving algorithm (Metwally, Agrawal, El
// Abbadi, 2005), with weights that halve as time goes by.
// Must hold: a key whose weight exceeds the total divided by `capacity` is there; a weight shown is
// never below the true one, and above it by `excess` at most.

/// Finds the heaviest keys. It is pure; code that shares it locks it.
struct SpaceSaving: Sendable {
    struct Item: Sendable {
        var key: CacheKey
        /// In whatever is counted; halved as time goes by, like everything here.
        var weight: Double
        /// The part that may be of the key that had the place before.
        var excess: Double
        var count: Double
        /// Why it was counted last.
        var reason: Reason?
    }

    private static let least = 1e-6
    let capacity: Int
    private(set) var items: [Item] = []
    private var places: [UInt64: Int] = [:]

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds to the weight of `key`; `count`: the requests that it represents.
    mutating func add(_ key: CacheKey, weight: Double, count: Double = 1, _ reason: Reason? = nil) {
        if let place = places[key.hash] {
            items[place].weight += weight
            items[place].count += count
            items[place].reason = reason
        } else if items.count < capacity {
            places[key.hash] = items.count
            items.append(Item(key: key.compacted(), weight: weight, excess: 0, count: count, reason: reason))
        } else if let place = lightest {
            let least = items[place].weight
            places[items[place].key.hash] = nil
            places[key.hash] = place
            items[place] = Item(
                key: key.compacted(), weight: least + weight, excess: least, count: count, reason: reason)
        }
    }

    /// Halves all weights: a key that was heavy once does not stay so for ever, and is forgotten
    /// once its weight is next to nothing.
    mutating func fade() {
        guard !items.isEmpty else { return }
        items.removeAll { $0.weight < Self.least }
        places = Dictionary(uniqueKeysWithValues: items.indices.map { (items[$0].key.hash, $0) })
        for place in items.indices {
            items[place].weight /= 2
            items[place].excess /= 2
            items[place].count /= 2
        }
    }

    /// The place of the lightest; nil where there is none. Looked for once for each new key: with a
    /// closure over the items it was two thousand instructions of a miss.
    private var lightest: Int? {
        items.withUnsafeBufferPointer { items in
            var lightest: Int?
            var least = Double.infinity
            for place in items.indices where items[place].weight < least {
                (lightest, least) = (place, items[place].weight)
            }
            return lightest
        }
    }
}
