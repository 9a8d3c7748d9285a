/// The requests that wait for a turn of the budget, and which is next (DECISIONS 11.7). Pure.
///
/// Each party has a *place* in every channel in which a request of its own waits. A *channel* is a
/// lane (the connections of one loop) under one limit; the budget decides whether a request can be
/// started there. The places of a channel are in the order of their tags; a place that comes anew,
/// or that has been served, goes to the end.
///
/// Must hold:
/// - the parties are served in turns, over all channels that are open at the time; of one party the
///   more urgent go first, among equals the repeats, then those that came first;
/// - a place that could not be served, because its channel was closed or its party held its share
///   of the lane's connections, keeps its tag: a party that is served in one lane does not lose its
///   turn in another that is full;
/// - requests that no client waits for are one party, which comes after all others.
struct WaitingLines {
    /// The lane and limit under which a request can be started.
    struct Channel: Equatable {
        let lane: Int
        /// The account whose own limit counts; 0 where none but the common one does.
        let limit: UInt64
    }

    struct Item {
        let id: TurnID
        let party: UpstreamParty
        /// The party whose share of the connections it will use: `party`, but for the background
        /// that which caused it.
        let holder: UpstreamParty
        let channel: Channel
        let priority: UpstreamPriority
        /// The lower, the earlier it came; repeats are below all others.
        let order: Int

        init(
            _ id: TurnID, of party: UpstreamParty, _ holder: UpstreamParty, under limit: UInt64,
            _ priority: UpstreamPriority, order: Int
        ) {
            (self.id, self.holder, self.priority, self.order) = (id, holder, priority, order)
            self.party = priority.isBackground ? .background : party
            channel = Channel(lane: id.lane, limit: limit)
        }

        fileprivate func goes(before other: Item) -> Bool {
            (priority, -order) > (other.priority, -other.order)
        }
    }

    /// Requests of one party that wait in one channel, in the order in which they go.
    fileprivate struct Place {
        let party: UpstreamParty
        let channel: Channel
        var tag: Int
        var items: ArraySlice<Item> = []

        /// The first item that can be started. All items of a client's place have one holder.
        func first(_ hasShare: (Item) -> Bool) -> Item? {
            if party == .background { return items.first(where: hasShare) }
            return items.first.flatMap { hasShare($0) ? $0 : nil }
        }
    }

    /// Places of one channel in the order of their tags, that of the background last. An array of
    /// lines is searched faster than a dictionary is changed: there are few.
    fileprivate struct Line {
        let channel: Channel
        var places: [Place]
    }

    private var items: [TurnID: Item] = [:]
    /// No line and no place is empty.
    private var lines: [Line] = []
    private var counts: [PartyKey: Int] = [:]
    private var lastTag = 0

    /// How many wait, by priority.
    private(set) var waiting = InlineArray<3, Int>(repeating: 0)
    var count: Int { items.count }
    var backgroundCount: Int { waiting[UpstreamPriority.refresh.rawValue] }
    /// Parties of which something waits, that of the background left out.
    var partyCount: Int { counts.count - (backgroundCount > 0 ? 1 : 0) }

    func count(of party: UpstreamParty) -> Int { counts[PartyKey(party)] ?? 0 }
    func isWaiting(under limit: UInt64) -> Bool { lines.contains { $0.channel.limit == limit } }
    /// Whether an item waits in a lane of which this is true.
    func isWaiting(in lane: Int, _ isTrue: (Item) -> Bool) -> Bool {
        lines.contains { line in
            line.channel.lane == lane && line.places.contains { $0.first(isTrue) != nil }
        }
    }
    subscript(id: TurnID) -> Item? { items[id] }
}

// MARK: Coming and going

extension WaitingLines {
    /// Puts a request in its line.
    mutating func add(_ item: Item) {
        items[item.id] = item
        counts[PartyKey(item.party), default: 0] += 1
        waiting[item.priority.rawValue] += 1
        guard let line = line(of: item.channel) else {
            return lines.append(Line(channel: item.channel, places: [place(for: item)]))
        }
        if let index = lines[line].index(of: item.party) {
            lines[line].places[index].items.insert(item)
        } else {
            lines[line].places.putLast(place(for: item))
        }
    }

    private mutating func place(for item: Item) -> Place {
        lastTag += 1
        return Place(
            party: item.party, channel: item.channel, tag: item.party == .background ? .max : lastTag, items: [item])
    }

    /// Does nothing for a request that does not wait.
    mutating func remove(_ id: TurnID) {
        guard let item = items.removeValue(forKey: id), let line = line(of: item.channel),
            let place = lines[line].index(of: item.party)
        else { return }
        waiting[item.priority.rawValue] -= 1
        if let count = counts.index(forKey: PartyKey(item.party)) {
            if counts.values[count] > 1 { counts.values[count] -= 1 } else { counts.remove(at: count) }
        }
        lines[line].places[place].items.remove(id)
        if lines[line].places[place].items.isEmpty { lines[line].places.remove(at: place) }
        if lines[line].places.isEmpty { lines.remove(at: line) }
    }

    /// Takes an item that is started; its party's turn is over in all channels that were open.
    mutating func take(_ item: Item, _ isOpen: (Channel) -> Bool) {
        remove(item.id)
        guard item.party != .background else { return }
        lastTag += 1
        for line in lines.indices {
            guard let index = lines[line].index(of: item.party), isOpen(lines[line].channel) else { continue }
            var place = lines[line].places.remove(at: index)
            place.tag = lastTag
            lines[line].places.putLast(place)
        }
    }

    private func line(of channel: Channel) -> Int? { lines.firstIndex { $0.channel == channel } }
}

extension WaitingLines.Line {
    /// Whether no client waits in it.
    fileprivate var isBackgroundAlone: Bool { places.first?.party == .background }

    fileprivate func index(of party: UpstreamParty) -> Int? { places.firstIndex { $0.party == party } }
}

extension [WaitingLines.Place] {
    /// Puts a place at the end, but before that of the background.
    fileprivate mutating func putLast(_ place: Element) {
        insert(place, at: last?.party == .background ? endIndex - 1 : endIndex)
    }
}

extension ArraySlice<WaitingLines.Item> {
    /// Puts an item where it goes: mostly after all that are there.
    fileprivate mutating func insert(_ item: Element) {
        let before = lastIndex { !item.goes(before: $0) }
        insert(item, at: before.map { $0 + 1 } ?? startIndex)
    }

    /// Takes an item out: mostly the first, which moves none of the others.
    fileprivate mutating func remove(_ id: TurnID) {
        if first?.id == id { removeFirst() } else { removeAll { $0.id == id } }
    }
}

// MARK: The next request

extension WaitingLines {
    /// The next item that can be started, of the party whose turn it is.
    /// - Parameters:
    ///   - isOpen: whether something can be started in a channel, in the background or not; where
    ///     it can in the background, it can otherwise.
    ///   - hasShare: whether the holder of an item may hold one connection more.
    func next(_ isOpen: (Channel, _ inBackground: Bool) -> Bool, _ hasShare: (Item) -> Bool) -> Item? {
        var next: (party: UpstreamParty, tag: Int)?
        for line in lines where isOpen(line.channel, line.isBackgroundAlone) {
            for place in line.places {
                if let next, next.tag <= place.tag { break }
                guard place.first(hasShare) != nil, place.party != .background || isOpen(line.channel, true) else {
                    continue
                }
                next = (place.party, place.tag)
                break
            }
        }
        guard let party = next?.party else { return nil }
        var item: Item?
        forEachPlace(of: party) { place in
            guard isOpen(place.channel, party == .background), let first = place.first(hasShare) else { return }
            if item.map({ first.goes(before: $0) }) ?? true { item = first }
        }
        return item
    }

    /// Visits the channels in which something waits that could start but for a limit.
    func forEachChannel(
        _ hasRoom: (_ lane: Int, _ inBackground: Bool) -> Bool, _ hasShare: (Item) -> Bool, _ body: (Channel) -> Void
    ) {
        for line in lines where hasRoom(line.channel.lane, line.isBackgroundAlone) {
            let couldStart = line.places.contains { place in
                place.first(hasShare) != nil && (place.party != .background || hasRoom(line.channel.lane, true))
            }
            if couldStart { body(line.channel) }
        }
    }

    private func forEachPlace(of party: UpstreamParty, _ body: (Place) -> Void) {
        for line in lines {
            if let index = line.index(of: party) { body(line.places[index]) }
        }
    }
}

// MARK: The request that gives way

extension WaitingLines {
    /// The newest of the least urgent items of a party.
    func newest(of party: UpstreamParty) -> Item? {
        var item: Item?
        forEachPlace(of: party) { place in
            guard let last = place.items.last else { return }
            if item.map({ $0.goes(before: last) }) ?? true { item = last }
        }
        return item
    }

    /// The newest of the least urgent items of the party of which the most wait, that of the
    /// background left out; among equals of `party`, which has just come.
    func newestOfTheLongest(_ party: UpstreamParty?) -> Item? {
        let longest = counts.filter { $0.key.party != .background }
        guard let most = longest.values.max() else { return nil }
        if let party, longest[PartyKey(party)] == most { return newest(of: party) }
        let newest = longest.lazy.filter { $0.value == most }.compactMap { self.newest(of: $0.key.party) }
        return newest.max { $0.goes(before: $1) }
    }
}
