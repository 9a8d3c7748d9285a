import TestSupport
import Testing

/// A catalog as a function of time: seconds that a test counts, from 0.
///
/// Resources get new revisions, go away and come back, and lists change, each at moments of its
/// own. Nothing changes within a second, so the answers of one second are of one state.
struct HuntWorld: Sendable, CustomTestStringConvertible {
    /// When a resource changes, and when it is away.
    private struct Habit: Sendable {
        /// The seconds from one revision to the next; nil for a resource that never changes.
        var period: Int?
        var phase = 0
        /// The seconds for which it is here or away; nil for a resource that is never away.
        var block: Int?
        var blockPhase = 0
    }

    let seed: UInt64
    let traits: HuntTraits
    /// Seconds after which no answer is right; by default those of the traits.
    var allowedAge: Int?
    /// By the number of the type, and by id.
    private var habits: [[Habit]] = []

    var testDescription: String { "\(traits.name), seed \(seed)" }

    init(seed: UInt64, _ traits: HuntTraits) {
        (self.seed, self.traits) = (seed, traits)
        habits = HuntType.allCases.map { type in
            (0...type.count).map { habit(of: HuntName(type, $0)) }
        }
    }

    private func habit(of name: HuntName) -> Habit {
        var habit = Habit()
        guard name.type != .genres else { return habit }
        let (change, absence) = (drawn(1, name.number), drawn(2, name.number))
        if change % 4 != 0 {
            let period = 6 + change / 4 % 60
            (habit.period, habit.phase) = (period, change / 1024 % period)
        }
        if absence % traits.flickersOneIn == 0 {
            (habit.block, habit.blockPhase) = (8 + absence / 8 % 30, absence / 1024 % 40)
        }
        return habit
    }

    /// A number that only the seed and these parts determine.
    private func drawn(_ purpose: Int, _ one: Int, _ other: Int = 0) -> Int {
        var value = SeededGenerator.mixed(seed &+ UInt64(purpose) &* 0x9E37_79B9)
        value = SeededGenerator.mixed(value ^ UInt64(truncatingIfNeeded: one))
        value = SeededGenerator.mixed(value ^ UInt64(truncatingIfNeeded: other))
        return Int(value >> 2)
    }

    // MARK: Resources

    /// The revision of a resource, also while it is away.
    func revision(of name: HuntName, at moment: Int) -> Int {
        let habit = habits[name.type.number][name.id]
        guard let period = habit.period else { return 0 }
        return (moment + habit.phase) / period
    }

    /// Whether a storefront has the resource.
    func has(_ name: HuntName, in storefront: String, at moment: Int) -> Bool {
        guard name.id > 0, name.id <= name.type.count else { return false }
        let habit = habits[name.type.number][name.id]
        guard let block = habit.block else { return true }
        let number = name.number * 2 + (storefront == "us" ? 0 : 1)
        return drawn(4, number, (moment + habit.blockPhase) / block) % 3 != 0
    }

    /// The revision that a storefront shows; nil without the resource.
    func state(of name: HuntName, in storefront: String, at moment: Int) -> Int? {
        has(name, in: storefront, at: moment) ? revision(of: name, at: moment) : nil
    }

    // MARK: Lists

    /// The places of a list. Those whose resource is away are empty or missing, as the traits say.
    func places(of list: HuntList, at moment: Int) -> [HuntName] {
        let base = base(of: list)
        let drawn = drawn(5, list.number)
        guard base.count > 2, drawn % 4 != 0 else { return base }
        let period = 7 + drawn / 4 % 50
        let state = (moment + drawn / 1024 % period) / period
        var places = base
        let change = self.drawn(6, list.number, state)
        places.remove(at: change % places.count)
        let place = change / 256 % (places.count - 1)
        places.swapAt(place, place + 1)
        guard change / 65_536 % 2 == 0, let type = base.first?.type else { return places }
        let added = HuntName(type, change / 131_072 % type.count + 1)
        if !places.contains(added) { places.insert(added, at: 0) }
        return places
    }

    private func base(of list: HuntList) -> [HuntName] {
        let id = list.parent.id
        func names(_ type: HuntType, from first: Int, _ count: Int) -> [HuntName] {
            (0..<count).map { HuntName(type, (first + $0 - 1) % type.count + 1) }
        }
        switch (list.parent.type, list.relation) {
        case (.artists, .albums): return names(.albums, from: id, id <= 2 ? 56 : 4)
        case (.artists, .topSongs): return names(.songs, from: id * 5, 12)
        case (.artists, .latestRelease): return names(.albums, from: id, 1)
        case (.albums, .tracks): return names(.songs, from: id * 3 - 2, id == 1 ? 40 : 3)
        case (.albums, .artists): return names(.artists, from: id, id % 3 == 0 ? 2 : 1)
        case (.songs, .albums): return names(.albums, from: (id + 2) / 3, 1)
        case (.songs, .artists): return names(.artists, from: (id + 2) / 3, id % 4 == 0 ? 2 : 1)
        case (.playlists, .tracks): return names(.songs, from: id * 7, id == 1 ? 150 : 30)
        case (_, .genres): return names(.genres, from: id, 1 + id % 2)
        default: return []
        }
    }

    /// A page of a list; nil beyond its end.
    func page(of list: HuntList, _ offset: Int, _ limit: Int, in storefront: String, at moment: Int) -> HuntPage? {
        var places = places(of: list, at: moment)
        if !traits.hasGaps { places = places.filter { has($0, in: storefront, at: moment) } }
        guard offset < places.count || offset == 0 else { return nil }
        let end = min(offset + limit, places.count)
        var names = Array(places[offset..<end])
        if traits.hasGaps { names = names.filter { has($0, in: storefront, at: moment) } }
        return HuntPage(names: names, next: end < places.count ? end : nil)
    }
}

/// The resources on a page of a list, and where the next page begins; nil on the last page.
struct HuntPage: Equatable, Sendable {
    let names: [HuntName]
    let next: Int?
}
