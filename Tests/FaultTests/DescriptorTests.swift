import Foundation
import TestSupport
import Testing

/// F5: 500 clients come where the program may have 64 descriptors. Passes where it lives on, takes
/// less than half a core meanwhile, answers the operator, and serves clients again once they have
/// gone.
@Suite(.serialized, .timeLimit(.minutes(30)), .requires(.binary))
struct DescriptorTests {
    private static let limits = TestSize.of([64], full: [64], release: [64, 32])
    private static let seconds = TestSize.of(1, full: 5, release: 30)
    private static let clients = 500

    @Test func moreClientsThanDescriptorsAreWaitedOutInPeace() async throws {
        try await onThread {
            for limit in Self.limits {
                let house = try FaultHouse()
                let program = try house.start(
                    ["admin_listen 127.0.0.1:0"],
                    runner: ["/bin/sh", "-c", "ulimit -n \(limit) && exec \"$@\"", "sh"])
                let (port, adminPort) = (try program.port, try program.adminPort)
                var clients = (0..<Self.clients).compactMap { _ in try? RawClient(port: UInt16(port)) }
                let busy = try Self.share(of: program, during: Self.seconds)
                let operators = try? HTTPTestClient(port: adminPort).send("GET", "/healthz")
                let came = clients.count
                clients = []
                let begun = ContinuousClock.now
                let tally = Tally()
                waitUntil(within: 60) { tally.note(CheckingClient(port: port).ask(album: 1)) || !program.isRunning }
                FigureTable.note(
                    "F5 few descriptors",
                    """
                    \(limit) descriptors, \(came) clients: \(Int(busy * 100)) % of a core over \(Self.seconds) s; \
                    an answer \(ContinuousClock.now - begun) after they had gone; \(tally.now)
                    """)
                #expect(program.isRunning && tally.now.right == 1 && tally.now.wrong.isEmpty, "\(program.text)")
                #expect(operators?.status == 200, "the operator got no answer: \(program.text.suffix(1_000))")
                #expect(busy < 0.5)
                #expect(program.stop() == 0, "\(program.text.suffix(1_000))")
            }
        }
    }

    /// The share of a core that the program takes. Other programs' load makes it less, never more.
    private static func share(of program: ServedProgram, during seconds: Int) throws -> Double {
        let begun = ContinuousClock.now
        let before = try ProcessFigures(program.id).ticks
        sleep(UInt32(seconds))
        let ticks = try ProcessFigures(program.id).ticks - before
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))) / ((ContinuousClock.now - begun) / .seconds(1))
    }
}

/// The figures of a process that every user may read in `/proc`.
struct ProcessFigures {
    /// The processor time used, in clock ticks.
    let ticks: Int
    let residentBytes: Int

    init(_ id: Int32) throws {
        let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        // After the name, which may hold anything: the state is the third field.
        let fields = (text.components(separatedBy: ") ").last ?? "").split(separator: " ")
        guard fields.count > 21, let user = Int(fields[11]), let system = Int(fields[12]), let pages = Int(fields[21])
        else { throw ServedProgram.Failure(description: "/proc/\(id)/stat: \(text)") }
        ticks = user + system
        residentBytes = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
