// One shard of the memory tier: a hash table with open addressing over a list of nodes, and SIEVE (Zhang et al., NSDI 2024).
// The list runs from the newest to the oldest entry; the hand walks from old to new, clears visited marks, and evicts the
// first entry without one.
// Must hold: a hit writes one mark and moves nothing; a look-up does not allocate, and touches no node but the one it finds
// (in a large tier each costs a cache miss); `byteCount` is the sum of the entries'
// byte counts and at most `maxBytes` when a call returns; table and list hold the same nodes.

struct MemoryShard {
    private struct Node {
        var response: StoredResponse?
        var newer: Int32
        var older: Int32
        var isVisited: Bool
    }

    private struct Slot {
        /// Other bits of the hash than those that chose the shard; where the search for them begins follows from them.
        let tag: UInt32
        let node: Int32

        var isEmpty: Bool { node == MemoryShard.none }
        static let empty = Slot(tag: 0, node: MemoryShard.none)

        init(tag: UInt32, node: Int32) {
            (self.tag, self.node) = (tag, node)
        }

        init(hash: UInt64, node: Int32) {
            self.init(tag: UInt32(truncatingIfNeeded: hash >> 16), node: node)
        }
    }

    private static let none: Int32 = -1
    private var nodes: [Node] = []
    /// The table: a part of the key's hash above the node's number. Never more than half full.
    private var slots: [Slot]
    /// Heads the list of nodes without a response, linked by `older`.
    private var free = Self.none
    private var newest = Self.none
    private var oldest = Self.none
    private var hand = Self.none
    private(set) var count = 0
    private(set) var byteCount = 0
    let maxBytes: Int

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
        slots = Array(repeating: .empty, count: 64)
    }

    /// The entry of this key, marked as visited.
    mutating func lookup(_ key: borrowing CacheKey) -> StoredResponse? {
        guard let (slot, response) = find(key) else { return nil }
        let node = Int(slots[slot].node)
        if !nodes[node].isVisited { nodes[node].isVisited = true }
        return response
    }

    /// Stores `response` in place of an older one, which it returns, and appends what had to go to `released`, so that the
    /// caller frees it outside the lock. With `replacing` false an entry that is there stays.
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
            replace(Int(slots[slot].node), with: response, released: &released)
            evict(to: maxBytes, released: &released)
        } else {
            // Room first: the newcomer, not visited yet, must not be what the hand finds.
            evict(to: maxBytes - response.byteCount, released: &released)
            insert(response)
        }
        return found?.response
    }

    /// Removes the entry of this key where `condition` holds; true if it was there and is gone.
    @discardableResult
    mutating func remove(
        _ key: borrowing CacheKey, released: inout [StoredResponse],
        where condition: (StoredResponse) -> Bool = { _ in true }
    ) -> Bool {
        guard let (slot, response) = find(key), condition(response) else { return false }
        released.append(response)
        detach(slot)
        return true
    }

    /// Puts `new`, which has the key of `old`, in the place of the entry there, where `condition` holds for that.
    mutating func replace(
        _ old: StoredResponse, with new: StoredResponse, released: inout [StoredResponse],
        where condition: (StoredResponse) -> Bool
    ) {
        guard let (slot, response) = find(old.key), condition(response) else { return }
        replace(Int(slots[slot].node), with: new, released: &released)
        evict(to: maxBytes, released: &released)
    }

    /// The entries of up to `count` nodes from number `node` on, and the number to go on with; nil after the last. An entry
    /// keeps its node for as long as its key is here, so a walk from node 0 misses nothing that was here all along.
    func responses(from node: Int, count: Int) -> (responses: [StoredResponse], next: Int?) {
        let end = min(node + count, nodes.count)
        let responses = nodes[min(node, end)..<end].compactMap(\.response)
        return (responses, end < nodes.count ? end : nil)
    }

    // MARK: Table

    private func home(_ slot: Slot) -> Int {
        Int(slot.tag) & (slots.count - 1)
    }

    /// The slot of this key and its entry at once: every further look at the entry would count its references up and down.
    private func find(_ key: borrowing CacheKey) -> (slot: Int, response: StoredResponse)? {
        let wanted = Slot(hash: key.hash, node: Self.none)
        var slot = home(wanted)
        while !slots[slot].isEmpty {
            if slots[slot].tag == wanted.tag, let response = nodes[Int(slots[slot].node)].response,
                response.isStored(under: key)
            {
                return (slot, response)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private mutating func place(_ entry: Slot) {
        var slot = home(entry)
        while !slots[slot].isEmpty { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = entry
    }

    private mutating func growIfNeeded() {
        guard (count + 1) * 2 > slots.count else { return }
        let old = slots
        slots = Array(repeating: .empty, count: old.count * 2)
        for entry in old where !entry.isEmpty { place(entry) }
    }

    /// Empties a slot and moves those behind it up, so that no search stops too early (Knuth 6.4 R).
    private mutating func vacate(_ emptied: Int) {
        let mask = slots.count - 1
        var hole = emptied
        var next = (hole + 1) & mask
        while !slots[next].isEmpty {
            let distance = (next - home(slots[next])) & mask
            if distance >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = .empty
    }

    // MARK: List

    private mutating func insert(_ response: StoredResponse) {
        growIfNeeded()
        let fresh = Node(response: response, newer: Self.none, older: newest, isVisited: false)
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
        place(Slot(hash: response.key.hash, node: node))
        count += 1
        byteCount += response.byteCount
    }

    private mutating func replace(_ node: Int, with response: StoredResponse, released: inout [StoredResponse]) {
        if let old = nodes[node].response {
            byteCount -= old.byteCount
            released.append(old)
        }
        byteCount += response.byteCount
        nodes[node].response = response
        nodes[node].isVisited = true
    }

    /// The hand clears marks as it walks, so every second round of it evicts at the latest.
    private mutating func evict(to limit: Int, released: inout [StoredResponse]) {
        while byteCount > limit { evictOne(released: &released) }
    }

    private mutating func evictOne(released: inout [StoredResponse]) {
        var node = hand == Self.none ? oldest : hand
        while node != Self.none, nodes[Int(node)].isVisited {
            nodes[Int(node)].isVisited = false
            node = nodes[Int(node)].newer == Self.none ? oldest : nodes[Int(node)].newer
        }
        guard node != Self.none, let response = nodes[Int(node)].response, let (slot, _) = find(response.key) else {
            return
        }
        hand = nodes[Int(node)].newer
        released.append(response)
        detach(slot)
    }

    /// Takes the node of a slot out of table and list and keeps it for the next insertion.
    private mutating func detach(_ slot: Int) {
        let node = slots[slot].node
        let (newer, older) = (nodes[Int(node)].newer, nodes[Int(node)].older)
        if hand == node { hand = newer }
        if newer == Self.none { newest = older } else { nodes[Int(newer)].older = older }
        if older == Self.none { oldest = newer } else { nodes[Int(older)].newer = newer }
        vacate(slot)
        byteCount -= nodes[Int(node)].response?.byteCount ?? 0
        count -= 1
        nodes[Int(node)].response = nil
        nodes[Int(node)].older = free
        free = node
    }
}
