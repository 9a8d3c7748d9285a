import Glibc
import Text

/// One kind of answers: the requests, and how it is made sure that they are answered in that way.
struct LatencyWorkload {
    /// As the command line names it.
    let name: String
    /// As the table does.
    let title: String
    let setting: Setting
    /// How much of it the origin has to see.
    var origin = OriginShare.none
    /// Whether the same targets may be asked for in one run after the other.
    var repeats = true
    /// Requests of a run.
    var mostRequests = 400_000
    /// A counter of Refrain's that has to count 99 in a hundred of its answers; nil: none says it.
    var counter: String?
    /// Once for each server that was started.
    var prepare: (RunningServer, Lab) throws -> Void = { _, _ in }
    /// Targets of a run, the same for all servers.
    let targets: (_ count: Int, _ run: Int) -> [String]
    /// Before a run with these.
    var store: (_ targets: [String], RunningServer, Lab) throws -> Void = { _, _, _ in }

    static var all: [LatencyWorkload] {
        [storedSongs(inFile: false), storedSongs(inFile: true), composedLists, newSongs]
    }
}

extension LatencyWorkload {
    /// Hits of songs, all of which are asked for alike. In the file: Refrain's memory must not hold
    /// them.
    static func storedSongs(inFile: Bool) -> LatencyWorkload {
        let (songs, entries) = (FileHitsMeasurement.songs, inFile ? FileHitsMeasurement.entries : 1_000)
        return LatencyWorkload(
            name: inFile ? "latency-file" : "latency-memory",
            title: "hits from \(inFile ? "SQLite" : "memory"), 4 KiB",
            setting: inFile ? FileHitsMeasurement.setting : Setting(clients: 500),
            prepare: { server, lab in
                try lab.fill(server, (0..<entries).lazy.map(songs.target))
                guard inFile, server.name == Contender.refrain.name else { return }
                try FileHitsMeasurement.checkMemory(lab, server)
            },
            targets: { count, run in
                var numbers = SplitMix64(seed: UInt64(run))
                return (0..<count).map { _ in songs.target(Int.random(in: 0..<entries, using: &numbers)) }
            })
    }

    /// Songs that were not asked for before, fetched and stored.
    static var newSongs: LatencyWorkload {
        let (songs, most) = (NumberedSongs(bytes: 4096), 50_000)
        return LatencyWorkload(
            name: "latency-misses", title: "misses, 4 KiB, each stored", setting: Setting(entries: 400_000),
            origin: .all, repeats: false, mostRequests: most,
            targets: { count, run in
                let first = run * most % NumberedSongs.most
                return (first..<first + count).map(songs.target)
            })
    }

    /// Lists of songs by their identifiers, each list asked for once. Refrain has the songs one by
    /// one and has seen lists of others: it makes each answer when it is asked for. For nginx,
    /// which has to fetch and store each list before, they are plain hits.
    static var composedLists: LatencyWorkload {
        let (songs, most) = (NumberedSongs(bytes: 1000, storefront: NumberedSongs.withLists), 20_000)
        // Songs by whose lists the form of lists is learnt, and those that lists are made of.
        let (examples, known) = (0..<24, 24..<224)
        return LatencyWorkload(
            name: "latency-composed", title: "composed answers, 4 KiB",
            setting: Setting(memoryMiB: 4096, entries: 800_000, clients: 500), repeats: false, mostRequests: most,
            counter: "composed",
            prepare: { server, lab in
                guard server.name == Contender.refrain.name else { return }
                let client = TraceClient(port: server.ports.clients)
                let lists = [Array(examples.prefix(12)), Array(examples.suffix(12))].map(songs.target)
                let singles = (examples.lowerBound..<known.upperBound).map { songs.target($0) }
                // One after another: simultaneous misses would be fetched together.
                for target in singles + lists where try client.status(of: target) != 200 {
                    throw BenchError("no 200 for \(target)")
                }
                try lab.settle(server)
            },
            targets: { count, run in
                (0..<count).map { number in
                    var random = SplitMix64(seed: UInt64(run * most + number))
                    var chosen: [Int] = []
                    while chosen.count < 4 {
                        let song = Int.random(in: known, using: &random)
                        if !chosen.contains(song) { chosen.append(song) }
                    }
                    return songs.target(chosen)
                }
            },
            store: { targets, server, lab in
                guard server.name != Contender.refrain.name else { return }
                try lab.fill(server, targets)
                // The disk's work for these must not fall into the run.
                sync()
            })
    }
}
