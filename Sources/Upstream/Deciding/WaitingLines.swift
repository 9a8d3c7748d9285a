/// The requests that wait for a turn of the budget, and who is next (DECISIONS 11.7). Pure.
///
/// Each party has a *place* in every channel in which a request of its own waits. A *channel* is a
/// lane (the connections of one loop) under one limit; what can be started there is the budget's to
/// say. The places of a channel stand in a ring, in the order of their tags; a place that comes
/// anew, or that has been served, goes to the end.
///
/// Must hold:
/// - the parties are served in turns, over all channels that are open at the time; of one party the
///   more urgent go first, among equals the repeats, then those that came first;
/// - a place that could not be served, because its channel was closed, keeps its tag: a party that
///   is served in one lane does not lose its turn in another that is full;
/// - what no client waits for is one party, which comes after all others;
/// - every step takes the same time, however many wait: it looks at channels, never at parties.
struct WaitingLines {
    /// Where a request can be started.
    struct Channel: Equatable {
        let lane: Int
        /// The number of a limit; 0 where none but the common one counts.
        let limit: Int
    }

    struct Item {
        let id: BudgetState.JobID
        let priority: UpstreamPriority
        /// The lower, the earlier it came; repeats are below all others.
        let order: Int
        let isRepeated: Bool
        fileprivate var place: Int
        fileprivate var links = ListLinks()
    }

    /// A line of equally urgent items.
    private struct Line {
        var items = ListEnds()
        /// The repeats stand before the others.
        var lastRepeated = -1
    }

    /// Requests of one party that wait in one channel.
    private struct Place {
        let channel: Channel
        let party: Int
        var tag: Int
        /// By priority.
        var lines = InlineArray<3, Line>(repeating: Line())
        var count = 0
        /// In the channel's ring.
        var ringLinks = ListLinks()
        /// Among the places of the party.
        var siblingLinks = ListLinks()
    }

    private struct Party {
        let name: UpstreamParty
        var count = 0
        var places = ListEnds()
        /// Among the parties of which as many wait.
        var links = ListLinks()
    }

    private struct Ring {
        var places = ListEnds()
        /// The place of what no client waits for.
        var background = -1

        var isEmpty: Bool { places.first < 0 && background < 0 }
    }

    private var items = Slab<Item>()
    private var places = Slab<Place>()
    private var parties = Slab<Party>()
    private var partyNumbers: [UpstreamParty: Int] = [:]
    /// By limit and lane.
    private var rings: [[Ring]] = [[]]
    /// How many wait, by limit.
    private var countByLimit: [Int] = [0]
    /// The parties of which so many wait, the one that became so long last first.
    private var partiesByCount: [ListEnds] = []
    /// How many wait of the party of which the most do.
    private var longest = 0
    private var lastTag = 0

    /// How many wait, by priority.
    private(set) var waiting = InlineArray<3, Int>(repeating: 0)
    private(set) var count = 0
    var backgroundCount: Int { waiting[UpstreamPriority.refresh.rawValue] }
    /// Parties of which something waits, that of the background left out.
    private(set) var partyCount = 0

    func count(of party: UpstreamParty) -> Int { partyNumbers[party].map { parties[$0].count } ?? 0 }
    func count(under limit: Int) -> Int { limit < countByLimit.count ? countByLimit[limit] : 0 }
    subscript(item: Int) -> Item { items[item] }
    func channel(of item: Int) -> Channel { places[items[item].place].channel }
    func party(of item: Int) -> UpstreamParty { parties[places[items[item].place].party].name }
}

// MARK: Coming and going

extension WaitingLines {
    /// Puts a request in its line.
    /// - Returns: the number of its item.
    mutating func add(
        _ id: BudgetState.JobID, of party: UpstreamParty, in channel: Channel, _ priority: UpstreamPriority, order: Int,
        isRepeated: Bool
    ) -> Int {
        let place = place(of: partyNumber(priority.isBackground ? .background : party), in: channel)
        let item = items.insert(
            Item(id: id, priority: priority, order: order, isRepeated: isRepeated, place: place))
        link(item, into: place)
        change(parties: places[place].party, by: 1)
        places[place].count += 1
        waiting[priority.rawValue] += 1
        countByLimit[channel.limit] += 1
        count += 1
        return item
    }

    mutating func remove(_ item: Int) {
        let (place, priority) = (items[item].place, items[item].priority)
        unlink(item)
        items.remove(item)
        waiting[priority.rawValue] -= 1
        countByLimit[places[place].channel.limit] -= 1
        count -= 1
        let party = places[place].party
        places[place].count -= 1
        if places[place].count == 0 { removePlace(place) }
        change(parties: party, by: -1)
        if parties[party].count == 0 {
            partyNumbers[parties[party].name] = nil
            parties.remove(party)
        }
    }

    private mutating func partyNumber(_ name: UpstreamParty) -> Int {
        if let number = partyNumbers[name] { return number }
        let number = parties.insert(Party(name: name))
        partyNumbers[name] = number
        return number
    }

    private mutating func place(of party: Int, in channel: Channel) -> Int {
        var known = parties[party].places.first
        while known >= 0, places[known].channel != channel { known = places[known].siblingLinks.next }
        if known >= 0 { return known }
        let place = places.insert(Place(channel: channel, party: party, tag: 0))
        places.link(place, behind: -1, in: &parties[party].places, \.siblingLinks)
        makeRing(channel)
        if parties[party].name == .background {
            rings[channel.limit][channel.lane].background = place
        } else {
            lastTag += 1
            append(place, tag: lastTag)
        }
        return place
    }

    private mutating func removePlace(_ place: Int) {
        let (channel, party) = (places[place].channel, places[place].party)
        if parties[party].name == .background {
            rings[channel.limit][channel.lane].background = -1
        } else {
            places.unlink(place, from: &rings[channel.limit][channel.lane].places, \.ringLinks)
        }
        places.unlink(place, from: &parties[party].places, \.siblingLinks)
        places.remove(place)
    }

    private mutating func makeRing(_ channel: Channel) {
        while rings.count <= channel.limit {
            rings.append([])
            countByLimit.append(0)
        }
        while rings[channel.limit].count <= channel.lane { rings[channel.limit].append(Ring()) }
    }

    private mutating func append(_ place: Int, tag: Int) {
        let channel = places[place].channel
        places[place].tag = tag
        let last = rings[channel.limit][channel.lane].places.last
        places.link(place, behind: last, in: &rings[channel.limit][channel.lane].places, \.ringLinks)
    }
}

// MARK: Who is next

extension WaitingLines {
    /// The next item that can be started, of the party whose turn it is.
    /// - Parameter isOpen: whether something can be started in a channel, in the background or not.
    func next(_ isOpen: (Channel, _ inBackground: Bool) -> Bool) -> Int? {
        guard count > 0 else { return nil }
        var best = -1
        forEachRing { ring, channel in
            let first = ring.places.first
            guard first >= 0, best < 0 || places[first].tag < places[best].tag, isOpen(channel, false) else { return }
            best = first
        }
        if best >= 0 { return first(of: places[best].party) { isOpen($0, false) } }
        guard let background = partyNumbers[.background] else { return nil }
        return first(of: background) { isOpen($0, true) }
    }

    /// Takes an item that is started; its party's turn is over in all channels that were open.
    mutating func take(_ item: Int, _ isOpen: (Channel) -> Bool) {
        let party = places[items[item].place].party
        if items[item].priority.isBackground { return remove(item) }
        lastTag += 1
        var place = parties[party].places.first
        while place >= 0 {
            let channel = places[place].channel
            if isOpen(channel) {
                places.unlink(place, from: &rings[channel.limit][channel.lane].places, \.ringLinks)
                append(place, tag: lastTag)
            }
            place = places[place].siblingLinks.next
        }
        remove(item)
    }

    /// Calls `body` with each channel in which something waits that could start but for a limit.
    func forEachChannel(_ hasRoom: (_ lane: Int, _ inBackground: Bool) -> Bool, _ body: (Channel) -> Void) {
        forEachRing { ring, channel in
            let hasClients = ring.places.first >= 0
            if hasClients && hasRoom(channel.lane, false) || ring.background >= 0 && hasRoom(channel.lane, true) {
                body(channel)
            }
        }
    }

    private func forEachRing(_ body: (Ring, Channel) -> Void) {
        for limit in rings.indices where countByLimit[limit] > 0 {
            for lane in rings[limit].indices where !rings[limit][lane].isEmpty {
                body(rings[limit][lane], Channel(lane: lane, limit: limit))
            }
        }
    }

    private func first(of party: Int, _ isOpen: (Channel) -> Bool) -> Int? {
        var (best, place) = (-1, parties[party].places.first)
        while place >= 0 {
            if isOpen(places[place].channel) {
                let candidate = firstItem(place)
                if best < 0 || goes(candidate, before: best) { best = candidate }
            }
            place = places[place].siblingLinks.next
        }
        return best < 0 ? nil : best
    }

    private func firstItem(_ place: Int) -> Int {
        for priority in UpstreamPriority.allCases.reversed() {
            let line = places[place].lines[priority.rawValue]
            if line.items.first >= 0 { return line.items.first }
        }
        preconditionFailure("a place without items is none")
    }

    private func lastItem(_ place: Int) -> Int {
        for priority in UpstreamPriority.allCases {
            let line = places[place].lines[priority.rawValue]
            if line.items.last >= 0 { return line.items.last }
        }
        preconditionFailure("a place without items is none")
    }

    private func goes(_ item: Int, before other: Int) -> Bool {
        (items[item].priority, -items[item].order) > (items[other].priority, -items[other].order)
    }
}

// MARK: Who gives way

extension WaitingLines {
    /// The newest of the least urgent items of a party.
    func newest(of party: UpstreamParty) -> Int? { partyNumbers[party].flatMap { newest(of: $0) } }

    /// The newest of the least urgent items of the party of which the most wait, that of the
    /// background left out; among equals of the one that became so long last.
    var newestOfTheLongest: Int? { longest > 0 ? newest(of: partiesByCount[longest].first) : nil }

    private func newest(of party: Int) -> Int? {
        var (worst, place) = (-1, parties[party].places.first)
        while place >= 0 {
            let candidate = lastItem(place)
            if worst < 0 || goes(worst, before: candidate) { worst = candidate }
            place = places[place].siblingLinks.next
        }
        return worst < 0 ? nil : worst
    }

    /// Keeps the parties sorted by how many of each wait.
    private mutating func change(parties party: Int, by step: Int) {
        let isBackground = parties[party].name == .background
        let before = parties[party].count
        parties[party].count = before + step
        guard !isBackground else { return }
        if before > 0 {
            parties.unlink(party, from: &partiesByCount[before], \.links)
        } else {
            partyCount += 1
        }
        let after = before + step
        guard after > 0 else {
            partyCount -= 1
            if before == longest, partiesByCount[before].first < 0 { longest -= 1 }
            return
        }
        while partiesByCount.count <= after { partiesByCount.append(ListEnds()) }
        parties.link(party, behind: -1, in: &partiesByCount[after], \.links)
        if after > longest || before == longest && partiesByCount[before].first < 0 { longest = after }
    }
}

// MARK: Lines

extension WaitingLines {
    private mutating func link(_ item: Int, into place: Int) {
        let priority = items[item].priority.rawValue
        var line = places[place].lines[priority]
        let isRepeated = items[item].isRepeated
        items.link(item, behind: isRepeated ? line.lastRepeated : line.items.last, in: &line.items, \.links)
        if isRepeated { line.lastRepeated = item }
        places[place].lines[priority] = line
    }

    private mutating func unlink(_ item: Int) {
        let (place, priority) = (items[item].place, items[item].priority.rawValue)
        var line = places[place].lines[priority]
        // Before a repeat stand only repeats.
        if line.lastRepeated == item { line.lastRepeated = items[item].links.previous }
        items.unlink(item, from: &line.items, \.links)
        places[place].lines[priority] = line
    }
}
