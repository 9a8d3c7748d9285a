import Foundation

// Cost as one thing grows: each curve measures all servers in turns at every place, in half the
// time of a round of the table.

enum Curves {
    private static let connections = 64
    private static let usualBytes = 4096

    /// One hot song, more and more clients.
    static func connections(_ lab: Lab) throws -> Curve {
        var curve = Curve(
            name: "connections", title: "Hits from memory, 4 KiB, as clients grow", xLabel: "connections",
            isLogarithmic: true)
        let target = NumberedSongs(bytes: usualBytes).target(1)
        try lab.running(Contender.all) { servers in
            try lab.warm(servers, target)
            var able = servers
            for count in [1, 4, 16, 64, 256, 1_000, 4_000, 10_000] {
                guard count + 500 < FileDescriptors.limit else {
                    report("  \(count) connections need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)")
                    continue
                }
                let rounds = try lab.rounds(ofThoseAble: &able) { server, _ in
                    try lab.sample(server, target, connections: count, seconds: seconds(lab))
                }
                curve.append(rounds, at: Double(count))
            }
        }
        return curve
    }

    /// One hot song, larger and larger.
    static func sizes(_ lab: Lab) throws -> Curve {
        var curve = Curve(
            name: "sizes", title: "Hits from memory, 64 connections, as answers grow", xLabel: "bytes of body",
            isLogarithmic: true)
        for bytes in [256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20] {
            let target = NumberedSongs(bytes: bytes).target(1)
            let rounds = try hotSong(lab, Contender.all, Setting(bytes: bytes), target)
            curve.append(rounds, at: Double(bytes))
        }
        return curve
    }

    /// More and more stored songs, all asked for alike. Refrain has its usual memory, and goes to
    /// SQLite for what that does not hold.
    static func entries(_ lab: Lab) throws -> Curve {
        var curve = Curve(
            name: "entries", title: "Uniform hits, 1 KiB, 64 connections, as entries grow", xLabel: "entries",
            isLogarithmic: true)
        let songs = NumberedSongs(bytes: 1024)
        let setting = Setting(memoryMiB: 64, entries: 1_000_000)
        try lab.running(Contender.all, setting) { servers in
            for count in [1_000, 10_000, 100_000, 1_000_000] {
                report("  storing \(count) entries in each")
                for server in servers { try lab.fill(server, songs, count) }
                let rounds = try lab.rounds(servers) { server, round in
                    let script = try songs.script(lab.workspace, known: count, share: 1, firstNew: 0, seed: round + 1)
                    return try lab.sample(
                        server, songs.target(0), connections: connections, seconds: seconds(lab), script: script)
                }
                curve.append(rounds, at: Double(count))
            }
        }
        return curve
    }

    /// From misses alone to hits alone.
    static func hitRatio(_ lab: Lab) throws -> Curve {
        var curve = Curve(
            name: "hit-ratio", title: "4 KiB, 64 connections, as more are hits", xLabel: "% of requests that are hits",
            isLogarithmic: false)
        let songs = NumberedSongs(bytes: usualBytes)
        let known = 1_000
        try lab.running(Contender.all) { servers in
            for server in servers { try lab.fill(server, songs, known) }
            var firstNew = known
            for share in [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1] {
                let rounds = try lab.rounds(servers) { server, round in
                    let script = try songs.script(
                        lab.workspace, known: known, share: share, firstNew: firstNew + round * newSongs,
                        seed: round + 1)
                    return try lab.sample(
                        server, songs.target(0), connections: connections, seconds: seconds(lab), script: script,
                        origin: share < 1 ? .share(1 - share) : OriginShare.none
                    ) { if server.name == Contender.refrain.name { try lab.settle(server) } }
                }
                firstNew += lab.plan.rounds * newSongs
                curve.append(rounds, at: share * 100)
            }
        }
        return curve
    }

    /// More than any server fetches in a round.
    private static let newSongs = 150_000

    /// One loop or worker process, and two.
    static func loops(_ lab: Lab) throws -> Curve {
        var curve = Curve(
            name: "loops", title: "Hits from memory, 4 KiB, 64 connections, by loops or worker processes",
            xLabel: "loops", isLogarithmic: false)
        let target = NumberedSongs(bytes: usualBytes).target(1)
        for count in [1, 2] {
            let rounds = try hotSong(lab, [.refrain, .nginx], Setting(workers: count), target)
            curve.append(rounds, at: Double(count))
        }
        return curve
    }

    /// Hits of one song, at one place of a curve that takes other servers at each.
    private static func hotSong(
        _ lab: Lab, _ contenders: [Contender], _ setting: Setting, _ target: String
    ) throws -> Rounds {
        try lab.running(contenders, setting) { servers in
            try lab.warm(servers, target)
            return try lab.rounds(servers) { server, _ in
                try lab.sample(server, target, connections: connections, seconds: seconds(lab))
            }
        }
    }

    private static func seconds(_ lab: Lab) -> Int { max(1, lab.plan.seconds / 2) }
}
