import TestSupport

/// The cost of one request to the loop that answers it.
struct Cost: Sendable, CustomStringConvertible {
    let instructions: Double
    let allocations: Double
    /// Instructions within the service, without turns of timers and beginnings of recorded batches.
    var answering = 0.0

    var description: String {
        "\(CostLimit.text(instructions)) instructions, \(CostLimit.text(allocations)) allocations a request"
    }
}

extension Cost {
    func least(of other: Cost?) -> Cost {
        guard let other else { return self }
        let (fewer, more) = instructions <= other.instructions ? (self, other) : (other, self)
        return Cost(
            instructions: fewer.instructions, allocations: min(fewer.allocations, more.allocations),
            answering: fewer.answering)
    }
}

/// The most that requests of one kind may cost.
///
/// Limits are the measured costs (Swift 6.3, glibc 2.36, OpenSSL 3.0, x86-64) and a tenth, those of
/// hits out of memory mostly less. Runs differ by 0.3 %, on a busy machine by 2 %, machines by 1 %.
/// Over TLS the allocations are OpenSSL's own. The limits of a debug build tell of new steps alone.
struct CostLimit: Sendable {
    let path: CostPath
    let most: Cost

    init(_ path: CostPath, instructions: Double, allocations: Double) {
        self.path = path
        most = Cost(instructions: instructions, allocations: allocations)
    }

    /// The most that recording may add, as a share of the limit of a hit; 2.5 % was measured. Work
    /// at intervals is left out: a busy machine answers few requests in the time of one batch.
    static let mostForRecording = 0.03

    /// By how much two runs of one path differ, as a share.
    static let (noise, noiseOfDebug) = (0.003, 0.01)

    /// A hit allocates nothing; the rest is Dispatch's timer, and the line `Date` once a second.
    private static let none = 0.3

    /// A hit's instructions, of which about thirty count the answer by its status.
    static let hit = Cost(instructions: 6_000, allocations: none)

    static let table = TestSize.of(debug, full: release)

    static let debug = [
        CostLimit(.hit, instructions: 108_000, allocations: none),
        CostLimit(.parsedHit, instructions: 298_000, allocations: 17.5),
        CostLimit(.fileHit, instructions: 558_000, allocations: 70),
        CostLimit(.miss, instructions: 1_624_000, allocations: 340),
        CostLimit(.reduced, instructions: 813_000, allocations: 184),
    ]

    static let release = [
        CostLimit(.hit, instructions: hit.instructions, allocations: none),
        CostLimit(.gzipHit, instructions: 6_000, allocations: none),
        // The allocations are those of the thread that formats and writes.
        CostLimit(.recordedHit, instructions: 6_260, allocations: 34),
        CostLimit(.parsedHit, instructions: 17_150, allocations: none),
        CostLimit(.largeHit, instructions: 7_200, allocations: none),
        CostLimit(.fileHit, instructions: 36_500, allocations: 16),
        CostLimit(.secureHit, instructions: 36_000, allocations: 6.6),
        CostLimit(.framedHit, instructions: 77_400, allocations: 34),
        CostLimit(.miss, instructions: 125_000, allocations: 58),
        CostLimit(.reduced, instructions: 70_400, allocations: 41),
        CostLimit(.split, instructions: 110_000, allocations: 61),
    ]

    /// Lists the limits that a measured cost exceeds, and the change to make.
    func complaints(about cost: Cost) -> [String] { each(cost, complaint) }

    /// The limits that are so far off that an improvement could be lost again; they fail nothing.
    func remarks(about cost: Cost) -> [String] { each(cost, remark) }

    private func each(_ cost: Cost, _ say: (String, Double, Double) -> String?) -> [String] {
        let instructions = say("instructions", cost.instructions, most.instructions)
        return [instructions, say("allocations", cost.allocations, most.allocations)].compactMap { $0 }
    }

    private func complaint(_ unit: String, _ measured: Double, _ most: Double) -> String? {
        guard measured > most else { return nil }
        return text(unit, measured, most) + "; if that is wanted, \(change(unit, measured)); "
            + "callgrind_annotate \(Self.folder(of: path))/profile.2 says where they go"
    }

    private func remark(_ unit: String, _ measured: Double, _ most: Double) -> String? {
        guard measured * 2 + Self.none < most else { return nil }
        return text(unit, measured, most) + "; the limit is slack: \(change(unit, measured))"
    }

    private func text(_ unit: String, _ measured: Double, _ most: Double) -> String {
        "\(path): \(Self.text(measured)) \(unit) a request, \(Self.text(most)) are allowed"
    }

    private func change(_ unit: String, _ measured: Double) -> String {
        "put \(unit): \(Self.text(measured * 1.1)) into the line .\(path) of Tests/CostTests/CostLimits.swift"
    }

    /// Where the profiles of a path are left.
    static func folder(of path: CostPath) -> String { ".build/costs/\(path)" }

    /// Whole from ten on: `4991`, `0.07`.
    static func text(_ value: Double) -> String {
        value >= 10 ? String(Int(value.rounded())) : String((value * 100).rounded() / 100)
    }
}
