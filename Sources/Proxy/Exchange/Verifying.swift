import AppleMusic
import Cache
import Compose
import EventLoop
import Freshness
import Text
import Upstream

/// Verifies composed answers: all with `compose verify`, a share with `verify_sample` (DECISIONS
/// 9.7).
final class Verifying {
    let room: VerificationRoom
    private let settings: ServiceSettings
    private let troubles: OriginTroubles
    private let composing: Composing
    private let accounts: Accounts
    private let gate: UpstreamGate
    /// Asks the origin, and reports its answer; nil where that cannot be compared. Set by the owner
    /// of this part, before its first use.
    var fetch: (OriginRequest, @escaping (ComparedAnswer?) -> Void) -> Void = { _, report in report(nil) }
    private let base: LoopBase
    /// Which composed answers are verified.
    private var sampling = Sampling()

    init(
        _ settings: ServiceSettings, _ shared: SharedStores, composing: Composing, accounts: Accounts,
        gate: UpstreamGate, base: LoopBase
    ) {
        (self.settings, room) = (settings, shared.verifications)
        troubles = OriginTroubles(settings, shared, base)
        (self.composing, self.accounts, self.gate, self.base) = (composing, accounts, gate, base)
    }

    var loop: EventLoop { base.loop }

    /// Whether a verification may send a request now. The budget has room, and no client's token is
    /// needed.
    private var hasRoom: Bool { gate.hasRoom && accounts.needsNoClientToken }

    /// Counts a composed answer that is not verified.
    func noteSkipped() { base.statistics.count(.verifySkipped) }

    /// Asks the origin once the budget has room; looks for it every second.
    func ask(_ key: CacheKey, tries: Int = 10, _ completion: @escaping (ComparedAnswer?) -> Void) {
        guard hasRoom else {
            guard tries > 1, accounts.needsNoClientToken else { return completion(nil) }
            loop.schedule(at: loop.now + .seconds(1)) { [self] in ask(key, tries: tries - 1, completion) }
            return
        }
        guard let request = composing.originRequest(for: Array(key.target), .verification, authorization: nil) else {
            return completion(nil)
        }
        fetch(request, completion)
    }

    /// Verifies a composed answer if the sample takes it. In a later turn, so the client's answer
    /// goes first.
    func sample(
        _ composed: ComposedBody, _ wanted: CatalogRequest?, _ key: CacheKey, _ rule: TTLRule, isBatched: Bool
    ) {
        guard sampling.takes(settings.verifySample), let wanted else { return }
        let subject = VerificationRun.Subject(
            wanted: wanted, key: key, rule: rule, isBatched: isBatched, crossings: composed.crossings)
        loop.schedule(at: loop.now) { [self] in
            guard hasRoom else { return noteSkipped() }
            VerificationRun(composed, subject, self)?.begin()
        }
    }

    /// Compares a composed answer with the origin's (`compose verify`).
    func verify(_ request: OriginRequest, against said: ComparedAnswer) {
        guard settings.verifies, let expected = request.expected, let key = request.key, let wanted = request.wanted
        else { return }
        let subject = VerificationRun.Subject(
            wanted: wanted, key: key, rule: request.facts.rule, isBatched: false, crossings: expected.crossings)
        VerificationRun(expected, subject, self)?.begin(with: said)
    }

    /// Composes the answer from these parts alone; nil where that fails.
    func compose(_ subject: VerificationRun.Subject, from parts: [CacheKey]) -> ComparedAnswer? {
        let now = base.unixSeconds
        var (renewed, bytes) = ([StoredResponse](), 0)
        for key in parts {
            guard let part = base.peek(key) else { return nil }
            bytes += part.bodyCount
            // The parts may have come anew and larger.
            guard bytes <= VerificationRoom.mostBytes else { return nil }
            renewed.append(part)
        }
        let sources = composing.library.sources(holding: renewed, for: subject.wanted, at: now)
        let composer = composing.composer(under: subject.rule, isBatched: subject.isBatched)
        guard case .answer(let body) = composer.compose(subject.wanted, sources, at: now) else { return nil }
        return ComparedAnswer(status: 200, body: body.body)
    }

    /// Counts how a verification ended. A wrong answer puts its form to rest.
    func note(_ verdict: Verification.Verdict, on subject: VerificationRun.Subject) {
        switch verdict {
        case .equal: base.statistics.count(.verifiedEqual)
        case .older: base.statistics.count(.verifiedOlder)
        case .wrong(let path):
            rest(subject, differingAt: path)
            base.statistics.count(.verifyMismatches)
        case .undecided: base.statistics.count(.verifyUndecided)
        }
    }

    /// The log shows the path of the target alone: a client may put anything into its query.
    private func rest(_ subject: VerificationRun.Subject, differingAt path: String) {
        guard case .fixed(let seconds, _) = subject.rule else { return }
        let now = base.unixSeconds
        composing.library.switchOff(subject.wanted, until: now + Int64(seconds), at: now)
        composing.library.forms.refute(subject.crossings, until: now + Int64(seconds))
        // Answers that were composed in that form go with all that were composed.
        base.cache.freeComposed()
        let target = String(decoding: subject.key.target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        troubles.noteWrongAnswer(
            "composed answer for \(target) was wrong: \(path) differs from the origin's; its form is not composed for "
                + "\(SpanOfTime.text(seconds))")
    }
}
