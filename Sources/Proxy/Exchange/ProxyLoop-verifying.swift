import AppleMusic
import Cache
import Compose
import Freshness
import Text

// Verifies composed answers: all with `compose verify`, a share with `verify_sample` (DECISIONS
// 9.7).

extension ProxyLoop {
    /// Whether a verification may send a request now. The budget has room, and no client's token is
    /// needed.
    var hasRoomToVerify: Bool { gate.hasRoom && needsNoClientToken }

    /// Whether the origin answers requests without a client's token.
    var needsNoClientToken: Bool { givesToAll || tokens.worksWithoutToken(at: context.loop.now) }

    /// Verifies a composed answer if the sample takes it. In a later turn, so the client's answer
    /// goes first.
    func sample(
        _ composed: ComposedBody, _ wanted: CatalogRequest?, _ key: CacheKey, _ rule: TTLRule, isBatched: Bool
    ) {
        guard sampling.takes(shared.verifySample), let wanted else { return }
        let subject = VerificationRun.Subject(wanted: wanted, key: key, rule: rule, isBatched: isBatched)
        context.loop.schedule(at: context.loop.now) { [self] in
            guard hasRoomToVerify else { return statistics.count(.verifySkipped) }
            VerificationRun(composed, subject, self)?.begin()
        }
    }

    /// Compares a composed answer with the origin's (`compose verify`).
    func verify(_ request: OriginRequest, against said: ComparedAnswer) {
        guard shared.verifies, let expected = request.expected, let key = request.key, let wanted = request.wanted
        else { return }
        let subject = VerificationRun.Subject(wanted: wanted, key: key, rule: request.facts.rule, isBatched: false)
        VerificationRun(expected, subject, self)?.begin(with: said)
    }

    /// Composes the answer from these parts alone; nil where that fails.
    func compose(_ subject: VerificationRun.Subject, from parts: [CacheKey]) -> ComparedAnswer? {
        let (now, library) = (context.unixSeconds, shared.library)
        let renewed = parts.compactMap { cache.peek($0, reader, at: now) }
        guard renewed.count == parts.count else { return nil }
        let sources = library.sources(holding: renewed, for: subject.wanted, at: now)
        let composer = composer(library, under: subject.rule, isBatched: subject.isBatched)
        guard case .answer(let body) = composer.compose(subject.wanted, sources, at: now) else { return nil }
        return ComparedAnswer(status: body.status, body: body.body)
    }

    /// Counts how a verification ended. A wrong answer puts its form to rest.
    func note(_ verdict: Verification.Verdict, on subject: VerificationRun.Subject) {
        switch verdict {
        case .equal: statistics.count(.equal)
        case .older: statistics.count(.older)
        case .wrong(let path):
            rest(subject, differingAt: path)
            statistics.count(.mismatched)
        case .undecided: statistics.count(.undecided)
        }
    }

    /// The log shows the path of the target alone: a client may put anything into its query.
    private func rest(_ subject: VerificationRun.Subject, differingAt path: String) {
        guard case .fixed(let seconds, _) = subject.rule else { return }
        let now = context.unixSeconds
        shared.library.switchOff(subject.wanted, until: now + Int64(seconds), at: now)
        // Answers that were composed in that form go with all that were composed.
        cache.freeComposed()
        let target = String(decoding: subject.key.target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        noteWrongAnswer(
            "composed answer for \(target) was wrong: \(path) differs from the origin's; "
                + "nothing is composed in that form for \(SpanOfTime.text(seconds))")
    }
}
