import Glibc
import Text

/// One kind of answers: what is asked for, and how it is made sure that it is answered in that way.
protocol LatencyWorkload {
    /// As the command line names it.
    var name: String { get }
    /// As the table does.
    var title: String { get }
    var setting: Setting { get }
    /// How much of it the origin has to see.
    var origin: OriginShare { get }
    /// Whether the same targets may be asked for in one run after the other.
    var repeats: Bool { get }
    /// Requests of a run.
    var mostRequests: Int { get }
    /// A counter of Refrain's that has to count 99 in a hundred of its answers; nil: none says it.
    var counter: String? { get }

    /// Once for each server that was started.
    func prepare(_ server: RunningServer, _ lab: Lab) throws
    /// Targets of a run, the same for all servers.
    func targets(_ count: Int, run: Int) -> [String]
    /// Before a run with these.
    func store(_ targets: [String], in server: RunningServer, _ lab: Lab) throws
}

extension LatencyWorkload {
    var origin: OriginShare { .none }
    var repeats: Bool { true }
    var mostRequests: Int { 400_000 }
    var counter: String? { nil }
    func store(_ targets: [String], in server: RunningServer, _ lab: Lab) throws {}
}

/// Hits of songs, all of which are asked for alike.
struct StoredSongs: LatencyWorkload {
    let name: String
    let title: String
    let setting: Setting
    let entries: Int
    /// Whether Refrain's memory must not hold them.
    let isInFile: Bool

    private static let songs = FileHitsMeasurement.songs

    static let inMemory = StoredSongs(
        name: "latency-memory", title: "hits from memory, 4 KiB", setting: Setting(clients: 500),
        entries: 1_000, isInFile: false)
    static let inFile = StoredSongs(
        name: "latency-file", title: "hits from SQLite, 4 KiB", setting: FileHitsMeasurement.setting,
        entries: FileHitsMeasurement.entries, isInFile: true)

    func prepare(_ server: RunningServer, _ lab: Lab) throws {
        try lab.fill(server, (0..<entries).lazy.map(Self.songs.target))
        guard isInFile, server.name == Contender.refrain.name else { return }
        try FileHitsMeasurement.checkMemory(lab, server)
    }

    func targets(_ count: Int, run: Int) -> [String] {
        var numbers = SplitMix64(seed: UInt64(run))
        return (0..<count).map { _ in Self.songs.target(Int.random(in: 0..<entries, using: &numbers)) }
    }
}

/// Songs that were not asked for before, fetched and stored.
struct NewSongs: LatencyWorkload {
    let name = "latency-misses"
    let title = "misses, 4 KiB, each stored"
    let setting = Setting(entries: 400_000)
    let origin = OriginShare.all
    let repeats = false
    let mostRequests = 50_000

    private static let songs = NumberedSongs(bytes: 4096)

    func prepare(_ server: RunningServer, _ lab: Lab) throws {}

    func targets(_ count: Int, run: Int) -> [String] {
        let first = run * mostRequests % NumberedSongs.most
        return (first..<first + count).map(Self.songs.target)
    }
}

/// Lists of songs by their identifiers, each list asked for once. Refrain has the songs one by one
/// and has seen lists of others: it makes each answer when it is asked for. For nginx, which has to
/// fetch and store each list before, they are plain hits.
struct ComposedLists: LatencyWorkload {
    let name = "latency-composed"
    let title = "composed answers, 4 KiB"
    let setting = Setting(memoryMiB: 4096, entries: 800_000, clients: 500)
    let repeats = false
    let mostRequests = 20_000
    let counter: String? = "composed"

    static let songs = NumberedSongs(bytes: 1000, storefront: NumberedSongs.withLists)
    /// Songs by whose lists the form of lists is learnt, and those that lists are made of.
    private static let examples = 0..<24
    private static let known = 24..<224
    private static let listed = 4

    /// One after another: what is missed together would be fetched together.
    func prepare(_ server: RunningServer, _ lab: Lab) throws {
        guard server.name == Contender.refrain.name else { return }
        let client = TraceClient(port: server.ports.clients)
        let lists = [Array(Self.examples.prefix(12)), Array(Self.examples.suffix(12))].map(Self.songs.target)
        let singles = (Self.examples.lowerBound..<Self.known.upperBound).map { Self.songs.target($0) }
        for target in singles + lists where try client.status(of: target) != 200 {
            throw BenchError("no 200 for \(target)")
        }
        try lab.settle(server)
    }

    func targets(_ count: Int, run: Int) -> [String] {
        (0..<count).map { number in
            var random = SplitMix64(seed: UInt64(run * mostRequests + number))
            var chosen: [Int] = []
            while chosen.count < Self.listed {
                let song = Int.random(in: Self.known, using: &random)
                if !chosen.contains(song) { chosen.append(song) }
            }
            return Self.songs.target(chosen)
        }
    }

    func store(_ targets: [String], in server: RunningServer, _ lab: Lab) throws {
        guard server.name != Contender.refrain.name else { return }
        try lab.fill(server, targets)
        // The disk's work for these must not fall into the run.
        sync()
    }
}
