import AppleMusic
import Cache
import Compose
import EventLoop
import Freshness

/// Performs the verification of one composed answer, in the background.
///
/// Confined to its loop, but for its end, which may come on the comparing queue. Alive as long as
/// an answer, room or a comparison is awaited.
final class VerificationRun {
    /// The request whose composed answer is verified.
    struct Subject {
        let wanted: CatalogRequest
        let key: CacheKey
        /// The rule of the request's class.
        let rule: TTLRule
        /// Whether it was fetched together with others.
        let isBatched: Bool
        /// The agreements between placements on which the answer relies.
        let crossings: [PlacementCrossing]
    }

    private let subject: Subject
    private let parts: [StoredResponse]
    /// The answer that was composed last.
    private var composed: ComparedAnswer
    /// The origin's last answer to the whole request.
    private var whole: ComparedAnswer?
    private var verification: Verification
    private let verifying: Verifying

    /// Nil where there is no room for it, which is counted.
    init?(_ body: ComposedBody, _ subject: Subject, _ verifying: Verifying) {
        let bytes = body.parts.reduce(body.body.count) { $0 + $1.response.bodyCount }
        guard verifying.room.enter(bytes: bytes) else {
            verifying.noteSkipped()
            return nil
        }
        parts = body.parts.map(\.response)
        composed = ComparedAnswer(status: 200, body: body.body)
        verification = Verification(partCount: parts.count)
        (self.subject, self.verifying) = (subject, verifying)
    }

    deinit { verifying.room.leave() }

    /// Asks the origin for the whole; called once, or `begin(with:)`.
    func begin() { perform(.askWhole) }

    /// Compares with the origin's answer to the client.
    func begin(with said: ComparedAnswer) {
        whole = said
        compare(said, expecting: composed)
    }

    private func handle(_ event: Verification.Event) { perform(verification.handle(event)) }

    private func perform(_ action: Verification.Action) {
        switch action {
        case .askWhole:
            verifying.ask(subject.key) { [self] said in
                whole = said
                compare(said, expecting: composed)
            }
        case .askPart(let index):
            let part = parts[index]
            verifying.ask(part.key) { [self] said in
                compare(said, expecting: ComparedAnswer(status: part.status, body: part.body))
            }
        case .compose:
            guard let again = verifying.compose(subject, from: parts.map(\.key)) else { return handle(.unanswered) }
            composed = again
            compare(whole, expecting: again)
        case .end(let verdict): verifying.note(verdict, on: subject)
        }
    }

    private func compare(_ said: ComparedAnswer?, expecting expected: ComparedAnswer) {
        guard let said else { return handle(.unanswered) }
        let run = Confined(self, to: verifying.loop)
        verifying.room.compare { @Sendable in
            let event = said.event(expecting: expected)
            run.execute { $0.handle(event) }
        }
    }
}
