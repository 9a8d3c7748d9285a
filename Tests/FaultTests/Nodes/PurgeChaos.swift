import Foundation
import TestSupport

/// Things that happen to nodes, their links and the engine, drawn by lot, and purges in between.
struct PurgeChaos {
    /// How often each kind of event has come, by its words.
    struct Figures: CustomStringConvertible {
        private var counts: [String: Int] = [:]

        subscript(_ event: String) -> Int {
            get { counts[event] ?? 0 }
            set { counts[event] = newValue }
        }

        var description: String {
            counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        }
    }

    private let house: NodeHouse
    private let engine: RedisServer
    private var generator: SeededGenerator
    private(set) var figures = Figures()
    private var stopped: Int?
    private var cut: Int?
    private var isEngineStopped = false
    /// The last events, for the message of a failure.
    private(set) var story: [String] = []

    init(_ house: NodeHouse, _ engine: RedisServer, seed: UInt64) {
        (self.house, self.engine) = (house, engine)
        generator = SeededGenerator(seed: seed)
    }

    private mutating func note(_ text: String) { story.append("\(Date().timeIntervalSince1970) \(text)") }

    private mutating func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Runs until there have been `purges` more purges; all is well afterwards.
    mutating func run(purges: Int) throws {
        let end = figures["purges"] + purges
        while figures["purges"] < end {
            if !house.clocks.isEmpty, draw(0..<3) == 0 { try setClock() }
            switch draw(0..<100) {
            case 0..<55: purge()
            // A node that purged by a slow clock, and ends before it has seen the clock set right,
            // cannot tell that its purges are later than their times say.
            case 55..<65 where house.clocks.isEmpty: try killNode()
            case 65..<73: stopNode()
            case 73..<81: cutLink()
            case 81..<89: try harmEngine()
            case 89..<95: try mend()
            default: usleep(UInt32(draw(0..<400)) * 1_000)
            }
            usleep(UInt32(draw(0..<30)) * 1_000)
        }
        try mend()
    }

    private mutating func purge() {
        let (node, album) = (draw(0..<NodeHouse.names.count), draw(0..<VersionedOrigin.albums))
        guard node != stopped else { return }
        let (isHard, isOfArtist) = (draw(0..<5) < 3, draw(0..<4) == 0)
        purge(album, of: isOfArtist ? VersionedOrigin.artist(album) : nil, isHard: isHard, at: node)
    }

    private mutating func purge(_ album: Int, of artist: Int?, isHard: Bool, at node: Int) {
        let report = house.purge(album, of: artist, isHard: isHard, at: node)
        note("purge of \(album), artist \(artist as Any), hard \(isHard) at \(node): \(report as Any)")
        figures["purges"] += 1
        if isHard { figures["hard purges"] += 1 }
        guard let report else {
            figures["purges without a report"] += 1
            return
        }
        if !report.isLogged { figures["unlogged purges"] += 1 }
        figures["nodes missing in reports"] += NodeHouse.names.count - report.nodes + report.missing.count
    }

    private mutating func killNode() throws {
        let node = draw(0..<NodeHouse.names.count)
        if stopped == node { stopped = nil }
        note("kill of \(node)")
        house.kill(node)
        figures["nodes killed"] += 1
        let other = (node + 1) % NodeHouse.names.count
        // Another one purges while it is away.
        if draw(0..<2) == 1, other != stopped {
            purge(draw(0..<VersionedOrigin.albums), of: nil, isHard: true, at: other)
        }
        try house.start(node)
        note("start of \(node)")
    }

    /// The clock of a node goes ahead or back, or is right again.
    private mutating func setClock() throws {
        let node = draw(0..<NodeHouse.names.count)
        let (day, decade): (Int64, Int64) = (86_400, 3_650 * 86_400)
        let ahead = [0, day, -day, decade, -decade][draw(0..<5)]
        try house.clocks[node].set(ahead: ahead)
        note("the clock of \(node) is \(ahead) s ahead")
        figures["clocks set"] += 1
    }

    private mutating func stopNode() {
        if let node = stopped {
            house.send(SIGCONT, to: node)
            note("\(node) goes on")
            stopped = nil
            return
        }
        let node = draw(0..<NodeHouse.names.count)
        house.send(SIGSTOP, to: node)
        note("\(node) is stopped")
        stopped = node
        figures["nodes stopped"] += 1
    }

    private mutating func cutLink() {
        if let node = cut {
            house.relays[node].become(.passing)
            note("the link of \(node) is whole")
            cut = nil
            return
        }
        let node = draw(0..<NodeHouse.names.count)
        house.relays[node].become(.cut)
        note("the link of \(node) is cut")
        cut = node
        figures["links cut"] += 1
    }

    private mutating func harmEngine() throws {
        guard !isEngineStopped else { return goOn() }
        switch draw(0..<3) {
        case 0:
            engine.send(SIGSTOP)
            isEngineStopped = true
            figures["engine frozen"] += 1
            note("the engine is frozen")
        case 1:
            note("the engine is killed")
            engine.kill()
            house.promises.logWasLost()
            for _ in 0..<draw(0..<3) { purge() }
            try engine.start()
            figures["engine killed"] += 1
            note("the engine is started")
        default:
            try engine.ask("FLUSHALL")
            house.promises.logWasLost()
            figures["engine flushed"] += 1
            note("the engine is flushed")
        }
    }

    private mutating func goOn() {
        engine.send(SIGCONT)
        isEngineStopped = false
        note("the engine goes on")
    }

    /// All is well, and stays so until all nodes have come together.
    private mutating func mend() throws {
        if isEngineStopped { goOn() }
        if cut != nil { cutLink() }
        if stopped != nil { stopNode() }
        for clock in house.clocks { try clock.set(ahead: 0) }
        try house.settle()
        figures["times all well"] += 1
        note("all is well")
    }
}
