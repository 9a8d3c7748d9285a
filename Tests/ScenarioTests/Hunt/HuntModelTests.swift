import TestSupport
import Testing

/// The steps of a hunt and the oracle pass a right cache, and find each planted fault.
@Suite struct HuntModelTests {
    private static let steps = TestSize.of(150, full: 1_000)
    private static let worlds = TestSize.of(HuntTraits.brief, full: HuntTraits.all)
    private static let seeds: ClosedRange<UInt64> = 1...8

    /// The first verdict with a fault; nil where there is none.
    private func firstFault(_ world: HuntWorld, _ fault: HuntModel.Fault?, steps: Int = 800) -> HuntVerdict? {
        var (model, oracle) = (HuntModel(world, fault), HuntOracle(world))
        var draw = HuntDraw(seed: world.seed, world.traits)
        var now = 0
        var failure: (how: HuntOrigin.Failure, steps: Int)?
        for _ in 0..<steps {
            failure = failure.flatMap { $0.steps > 0 ? ($0.how, $0.steps - 1) : nil }
            var asked: [(HuntRequest, HuntManner)] = []
            switch draw.action() {
            case .ask(let request, _): asked = [(request, .get)]
            case .askAgain(let request, let manner): asked = [(request, self.manner(manner, request, oracle))]
            case .askTogether(let requests): asked = requests.map { ($0, .get) }
            case .pass(let seconds): now += seconds
            case .purge(let scope, let isHard):
                let purge = HuntPurge(scope: scope, isHard: isHard, moment: now)
                model.purge(purge)
                oracle.note(purge)
            case .evict(let requests, let fromFile): model.evict(requests, fromFile: fromFile)
            case .restart: model.restart()
            case .fail(let how): failure = (how, draw.number(below: 12))
            }
            for (request, manner) in asked {
                let reply = model.reply(to: request, manner, at: now, whileFailing: failure?.how)
                let verdict = oracle.verdict(on: reply, to: request, manner, at: now, whileFailing: failure?.how)
                if !verdict.faults.isEmpty { return verdict }
                oracle.note(verdict, reply, to: request, manner)
            }
        }
        return nil
    }

    private func manner(_ manner: HuntAction.Manner, _ request: HuntRequest, _ oracle: HuntOracle) -> HuntManner {
        switch manner {
        case .head: .head
        case .condition: oracle.tag(of: request).map { .condition($0) } ?? .get
        case .range: .range(10, 500)
        }
    }

    @Test(arguments: worlds.map { HuntWorld(seed: 3, $0) })
    func aRightCacheIsRight(world: HuntWorld) {
        let verdict = firstFault(world, nil, steps: Self.steps)
        #expect(verdict == nil, "\(world.traits.name): \(verdict?.faults ?? [])")
    }

    /// The world in which each fault shows itself, and the rules that it breaks.
    private static let faults: [(HuntModel.Fault, String, Set<HuntFault.Rule>)] = [
        (.goesBack, "plain", [.back]), (.hidesAge, "plain", [.state, .absence, .status]),
        (.keepsForTooLong, "plain", [.age]), (.ignoresPurges, "plain", [.state, .purge, .absence]),
        (.remembersAbsences, "absences and aliases", [.absence]), (.learnsFromFailures, "plain", [.form, .absence]),
        (.ignoresPlacements, "attributes by placement", [.form]), (.mixes, "plain", [.state]),
        (.repeatsTags, "plain", [.agreement]),
    ]

    @Test func everyFaultIsTried() {
        #expect(Set(Self.faults.map(\.0)) == Set(HuntModel.Fault.allCases))
    }

    @Test(arguments: faults) func aFaultIsFound(fault: HuntModel.Fault, name: String, rules: Set<HuntFault.Rule>) throws
    {
        let traits = try #require(HuntTraits.all.first { $0.name == name })
        let found = Self.seeds.lazy.compactMap { firstFault(HuntWorld(seed: $0, traits), fault) }.first
        let broken = found?.faults.map(\.rule) ?? []
        #expect(!rules.isDisjoint(with: broken), "\(fault): \(broken)")
    }
}
