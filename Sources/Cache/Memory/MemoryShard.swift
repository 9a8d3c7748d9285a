// One shard of the memory tier: a hash table with open addressing over a list of nodes, and SIEVE
// (Zhang et al., NSDI 2024). The list runs from the newest to the oldest entry; the hand walks from
// old to new, clears visited marks, and evicts the first entry without one.
// Must hold: a hit writes one mark and moves nothing; a look-up does not allocate, and touches the
// table, the response that it finds and its key, no node (in a large tier each costs a cache miss);
// `byteCount` is the sum of the entries' byte counts and at most `maxBytes` when a call returns;
// table and list hold the same entries, and each node knows its slot.

struct MemoryShard {
    private struct Node {
        var newer: Int32
        var older: Int32
        /// `none` in a free node.
        var slot: Int32
    }

    private struct Slot {
        /// Nil in an empty slot.
        var response: StoredResponse?
        /// Other bits of the hash than those that chose the shard; where the search for them begins
        /// follows from them.
        let tag: UInt32
        let node: Int32
        var isVisited = false

        var isEmpty: Bool { response == nil }
        static let empty = Slot(response: nil, tag: 0, node: MemoryShard.none)

        static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 16) }
    }

    private static let none: Int32 = -1
    private var nodes: [Node] = []
    /// The table. Never more than half full.
    private var slots: [Slot]
    /// Heads the list of nodes without a slot, linked by `older`.
    private var free = Self.none
    private var newest = Self.none
    private var oldest = Self.none
    private var hand = Self.none
    private(set) var count = 0
    private(set) var byteCount = 0
    /// Entries that had to make room for others.
    private(set) var evicted = 0
    let maxBytes: Int

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
        slots = Array(repeating: .empty, count: 64)
    }

    /// The entry of this key, marked as visited.
    mutating func lookup(_ key: borrowing CacheKey) -> StoredResponse? {
        guard let (slot, response) = find(key) else { return nil }
        if !slots[slot].isVisited { slots[slot].isVisited = true }
        return response
    }

    /// The entry of this key, left as it is.
    func peek(_ key: borrowing CacheKey) -> StoredResponse? { find(key)?.response }

    /// Stores `response` in place of an older one, which it returns, and appends the entries that
    /// had to go to `released`, so that the caller frees them outside the lock. With `replacing`
    /// false an entry that is there stays.
    @discardableResult
    mutating func store(
        _ response: StoredResponse, replacing: Bool, released: inout [StoredResponse]
    ) -> StoredResponse? {
        let found = find(response.key)
        guard response.byteCount <= maxBytes else {
            if replacing { remove(response.key, released: &released) }
            return found?.response
        }
        if let (slot, _) = found {
            guard replacing else { return nil }
            replace(slot, with: response, released: &released)
            evict(to: maxBytes, released: &released)
        } else {
            // Room first: the hand must not find the new entry, which is not visited yet.
            evict(to: maxBytes - response.byteCount, released: &released)
            insert(response)
        }
        return found?.response
    }

    /// Removes the entry of this key where `condition` holds.
    mutating func remove(
        _ key: borrowing CacheKey, released: inout [StoredResponse],
        where condition: (StoredResponse) -> Bool = { _ in true }
    ) {
        guard let (slot, response) = find(key), condition(response) else { return }
        released.append(response)
        detach(slot)
    }

    /// Puts `new`, which has the key of `old`, in the place of the entry there, where `condition`
    /// holds for that.
    mutating func replace(
        _ old: StoredResponse, with new: StoredResponse, released: inout [StoredResponse],
        where condition: (StoredResponse) -> Bool
    ) {
        guard let (slot, response) = find(old.key), condition(response) else { return }
        replace(slot, with: new, released: &released)
        evict(to: maxBytes, released: &released)
    }

    /// The entries of up to `count` nodes from number `node` on, and the number to go on with; nil
    /// after the last. An entry keeps its node for as long as its key is here, so a walk from node
    /// 0 misses nothing that was here all along.
    func responses(from node: Int, count: Int) -> (responses: [StoredResponse], next: Int?) {
        let end = min(node + count, nodes.count)
        let responses = nodes[min(node, end)..<end].compactMap {
            $0.slot == Self.none ? nil : slots[Int($0.slot)].response
        }
        return (responses, end < nodes.count ? end : nil)
    }

    // MARK: Table

    private func home(_ tag: UInt32) -> Int { Int(tag) & (slots.count - 1) }

    /// The slot of this key and its entry at once: every further look at the entry would count its
    /// references up and down.
    private func find(_ key: borrowing CacheKey) -> (slot: Int, response: StoredResponse)? {
        let tag = Slot.tag(key.hash)
        var slot = home(tag)
        while !slots[slot].isEmpty {
            if slots[slot].tag == tag, let response = slots[slot].response, response.isStored(under: key) {
                return (slot, response)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func place(_ entry: Slot) {
        var slot = home(entry.tag)
        while !slots[slot].isEmpty { slot = (slot + 1) & (slots.count - 1) }
        nodes[Int(entry.node)].slot = Int32(slot)
        slots[slot] = entry
    }

    private mutating func growIfNeeded() {
        guard (count + 1) * 2 > slots.count else { return }
        let old = slots
        slots = Array(repeating: .empty, count: old.count * 2)
        for entry in old where !entry.isEmpty { place(entry) }
    }

    /// Empties a slot and moves later ones up, so that no search stops too early (Knuth 6.4 R).
    private mutating func vacate(_ emptied: Int) {
        let mask = slots.count - 1
        var hole = emptied
        var next = (hole + 1) & mask
        slots[hole] = .empty
        while !slots[next].isEmpty {
            let distance = (next - home(slots[next].tag)) & mask
            if distance >= (next - hole) & mask {
                slots.swapAt(hole, next)
                nodes[Int(slots[hole].node)].slot = Int32(hole)
                hole = next
            }
            next = (next + 1) & mask
        }
    }

    // MARK: List

    private mutating func insert(_ response: StoredResponse) {
        growIfNeeded()
        let fresh = Node(newer: Self.none, older: newest, slot: Self.none)
        let node: Int32
        if free == Self.none {
            node = Int32(nodes.count)
            nodes.append(fresh)
        } else {
            node = free
            free = nodes[Int(node)].older
            nodes[Int(node)] = fresh
        }
        if newest == Self.none { oldest = node } else { nodes[Int(newest)].newer = node }
        newest = node
        place(Slot(response: response, tag: Slot.tag(response.key.hash), node: node))
        count += 1
        byteCount += response.byteCount
    }

    private mutating func replace(_ slot: Int, with response: StoredResponse, released: inout [StoredResponse]) {
        if let old = slots[slot].response {
            byteCount -= old.byteCount
            released.append(old)
        }
        byteCount += response.byteCount
        slots[slot].response = response
        slots[slot].isVisited = true
    }

    /// The hand clears marks as it walks, so every second round of it evicts at the latest.
    private mutating func evict(to limit: Int, released: inout [StoredResponse]) {
        while byteCount > limit {
            evictOne(released: &released)
            evicted += 1
        }
    }

    private mutating func evictOne(released: inout [StoredResponse]) {
        var node = hand == Self.none ? oldest : hand
        while node != Self.none, slots[Int(nodes[Int(node)].slot)].isVisited {
            slots[Int(nodes[Int(node)].slot)].isVisited = false
            node = nodes[Int(node)].newer == Self.none ? oldest : nodes[Int(node)].newer
        }
        guard node != Self.none else { return }
        hand = nodes[Int(node)].newer
        let slot = Int(nodes[Int(node)].slot)
        if let response = slots[slot].response { released.append(response) }
        detach(slot)
    }

    /// Takes the node of a slot out of table and list and keeps it for the next insertion.
    private mutating func detach(_ slot: Int) {
        let node = slots[slot].node
        let (newer, older) = (nodes[Int(node)].newer, nodes[Int(node)].older)
        if hand == node { hand = newer }
        if newer == Self.none { newest = older } else { nodes[Int(newer)].older = older }
        if older == Self.none { oldest = newer } else { nodes[Int(older)].newer = newer }
        byteCount -= slots[slot].response?.byteCount ?? 0
        count -= 1
        vacate(slot)
        nodes[Int(node)] = Node(newer: Self.none, older: free, slot: Self.none)
        free = node
    }
}
