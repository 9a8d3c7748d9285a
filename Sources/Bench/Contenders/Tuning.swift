import Foundation

// What each server is allowed to choose for each row, and how: every one of them gets what it does
// best with in what the row measures, found by the same rule.
//
// What must hold: a choice is made on the load of the row itself, on servers that run alone, in
// runs too short to be shown; and what is not chosen is said in the row's notes.

/// One thing that an operator would try in several ways.
struct Knob: Sendable {
    /// What it is in the server's own words: of the setting that was chosen.
    let word: @Sendable (Setting) -> String
    let variants: [@Sendable (inout Setting) -> Void]

    /// Loops or worker processes, from one to one a core: the load comes from the same cores, so it
    /// is not always one a core that answers most.
    static let workers = Knob(
        word: { "workers \($0.workers ?? cores)" }, variants: (1...cores).map { count in { $0.workers = count } })
    static let fileAccess = Knob(
        word: { $0.effectiveFileAccess.rawValue },
        variants: Setting.FileAccess.allCases.map { way in { $0.fileAccess = way } })
    static let passing = Knob(
        word: { $0.passing.rawValue }, variants: Setting.Passing.allCases.map { way in { $0.passing = way } })
    static let threadPools = Knob(
        word: { "thread_pools \($0.threadPools)" }, variants: [1, 2].map { count in { $0.threadPools = count } })

    static let cores = ProcessInfo.processInfo.activeProcessorCount
}

extension Contender {
    /// What is its own to choose. Under TLS nginx reads files whatever it is told.
    ///
    /// - Parameter passes: whether answers are passed through, and not kept.
    func knobs(_ setting: Setting, passes: Bool = false) -> [Knob] {
        switch self {
        case .varnish: [.threadPools]
        case .nginx where passes: [.workers, .passing]
        case .nginx where setting.usesTLS || setting.codesGzip: [.workers]
        case .nginx: [.workers, .fileAccess]
        default: [.workers]
        }
    }
}

enum Tuning {
    /// Runs of each variant, of which the better one counts.
    static let tries = 2

    /// Knob after knob, each with those before it as they did best: the setting with the highest
    /// score. A score is more than 0; one that is not is that of a setting which cannot be used.
    static func best(
        _ start: Setting, _ knobs: [Knob], _ score: (Setting) throws -> Double
    ) rethrows -> Setting {
        var (best, highest): (Setting, Double?) = (start, nil)
        for knob in knobs {
            for setting in knob.variants.map({ variant in changed(best, variant) }) {
                // What did best so far is not tried again.
                if highest != nil, setting == best { continue }
                let reached = try score(setting)
                if reached > highest ?? -1 { (best, highest) = (setting, reached) }
            }
        }
        return best
    }

    private static func changed(_ setting: Setting, _ change: (inout Setting) -> Void) -> Setting {
        var copy = setting
        change(&copy)
        return copy
    }

    /// What a table says of the choices: `refrain: workers 2; nginx: workers 1, sendfile on`.
    static func words(_ tuned: [(Contender, Setting)], passes: Bool = false) -> String {
        tuned.map { contender, setting in
            "\(contender.name): "
                + contender.knobs(setting, passes: passes).map { $0.word(setting) }.joined(separator: ", ")
        }.joined(separator: "; ")
    }

    /// What no row chooses.
    static let untried =
        "the same for every row: nginx with open_file_cache, directio off, multi_accept, reuseport and buffers for a "
        + "whole answer; Varnish with its log masked and 600 threads; nobody's processes are bound to cores"
}

extension Lab {
    /// The settings of these contenders, each with what did best on a short run of `measure`. What
    /// cannot run with a variant is said so, and the variant left out.
    ///
    /// - Parameters:
    ///   - passes: whether answers are passed through, and not kept.
    ///   - score: of a run, the higher the better; requests a second where nothing else is said.
    func tuned(
        _ contenders: [Contender], _ setting: Setting = Setting(), passes: Bool = false,
        by score: (Sample) -> Double = { $0.requestsPerSecond }, _ measure: (RunningServer) throws -> Sample
    ) throws -> [(Contender, Setting)] {
        contenders.filter { $0.path != nil && (!setting.usesTLS || $0.speaksTLS) }.map { contender in
            let best = Tuning.best(setting, contender.knobs(setting, passes: passes)) { setting in
                // What else the machine does makes a run worse and never better.
                let scores = (0..<Tuning.tries).map { _ in scored(contender, setting, score, measure) }
                return scores.max() ?? 0
            }
            return (contender, best)
        }
    }

    /// Of one run of a server that runs for that alone; 0 where it cannot run so.
    private func scored(
        _ contender: Contender, _ setting: Setting, _ score: (Sample) -> Double,
        _ measure: (RunningServer) throws -> Sample
    ) -> Double {
        do {
            guard let server = try start(contender, setting) else { return 0 }
            defer { server.stop() }
            return score(try measure(server))
        } catch {
            report("  left out while settings were chosen: \(error)")
            return 0
        }
    }

    /// What a table says of the settings.
    func notes(_ tuned: [(Contender, Setting)], passes: Bool = false) -> [String] {
        ["chosen for this row, each server's best: " + Tuning.words(tuned, passes: passes), Tuning.untried]
    }

    /// The number of loops, from one to one a core, for which `rate` is highest.
    func bestWorkers(_ rate: (Int) throws -> Double) rethrows -> Int {
        try Tuning.best(Setting(), [.workers]) { try rate($0.workers ?? 1) }.workers ?? 1
    }
}
