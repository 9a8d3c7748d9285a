import Text

/// One kind of answers: the requests, and how it is made sure that they are answered in that way.
struct LatencyWorkload {
    /// As the command line names it.
    let name: String
    /// As the table does.
    let title: String
    let setting: Setting
    /// Targets that each server has stored before it is measured.
    var stored: [String] = []
    /// How much of it the origin has to see.
    var origin = OriginShare.none
    /// Whether the same targets may be asked for in one run after the other.
    var repeats = true
    /// Requests of a run.
    var mostRequests = 400_000
    /// Targets of a run, the same for all servers.
    let targets: (_ count: Int, _ run: Int) -> [String]

    /// Hits of songs in memory, all of which are asked for alike.
    static var hits: LatencyWorkload {
        let stored = (0..<1_000).map(NumberedSongs(bytes: 4096).target)
        return LatencyWorkload(
            name: "latency-hits", title: "hits from memory, 4 KiB", setting: Setting(clients: 500), stored: stored,
            targets: { count, run in
                var numbers = SplitMix64(seed: UInt64(run))
                return (0..<count).map { _ in stored[Int.random(in: stored.indices, using: &numbers)] }
            })
    }

    /// Songs that were not asked for before, fetched and stored.
    static var misses: LatencyWorkload {
        let (songs, most) = (NumberedSongs(bytes: 4096), 50_000)
        return LatencyWorkload(
            name: "latency-misses", title: "misses, 4 KiB, each stored", setting: Setting(entries: 400_000),
            origin: .all, repeats: false, mostRequests: most,
            targets: { count, run in
                let first = run * most % NumberedSongs.most
                return (first..<first + count).map(songs.target)
            })
    }
}
