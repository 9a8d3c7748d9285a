import Cache
import Freshness
import Upstream

// How an exchange ends, and what its client and its waiters get.

extension ExchangeState {
    /// How the origin's part ended.
    enum Ending {
        case stored(StoredResponse, originStatus: Int, isReusable: Bool)
        case unstored(UpstreamResponse, Reason)
        case failed(ExchangeFailure)
    }

    /// The answer in the cache serves all waiters: the origin was not asked for it here.
    mutating func finish(with stored: StoredResponse) -> Step {
        work = .ended
        var step = deliver(.stored(stored, originStatus: stored.status, isReusable: true))
        step.flight = .finish(.stored(stored, originStatus: stored.status))
        return step
    }

    /// The flight that this exchange leads is finished, and all its waiters get what came.
    mutating func end(_ brought: Ending) -> Step {
        work = .ended
        let ending = blamed(brought)
        var step = deliver(ending)
        step.flight = .finish(outcome(ending))
        step.comparison = comparison(ending)
        switch ending {
        case .unstored(let response, let reason):
            step.endsUserGeneration = endsUserGeneration(response)
            step.lastAnswer = (response.status, reason)
        case .failed(let failure):
            step.endsUserGeneration = endsUserGeneration(nil)
            if !failure.reason.isOfTheProxy { step.lastAnswer = (failure.originStatus, failure.reason) }
        case .stored: step.endsUserGeneration = endsUserGeneration(nil)
        }
        return step
    }

    /// A refusal of the proxy's own token is a failure on the way to the origin, and no answer
    /// about the target.
    private func blamed(_ ending: Ending) -> Ending {
        guard case .unstored(let response, _) = ending, traits.refusesOwnToken(response.status) else { return ending }
        return .unstored(response, .upstreamRefused)
    }

    /// A write by the user may have changed any answer of theirs, however it ended; a 403 is about
    /// their token (APPLE-MUSIC-API 2.2.4).
    func endsUserGeneration(_ response: UpstreamResponse?) -> Bool {
        traits.hasUser && (!traits.isSafe || response?.status == 403)
    }

    /// A composed answer is compared with an answer about the target, not one about tokens, load
    /// or its own trouble, all or in part. An answer that another cache kept for a while is not the
    /// origin's current one.
    private func comparison(_ ending: Ending) -> ComparedAnswer? {
        guard traits.isVerified, !isAged else { return nil }
        switch ending {
        case .stored(let stored, let status, _) where status != 304:
            return ComparedAnswer(status: stored.status, body: stored.body)
        case .unstored(let response, let reason)
        where response.status < 500 && ![401, 403, 429].contains(response.status) && !reason.isAboutContent:
            return ComparedAnswer(status: response.status, body: response.body)
        case .stored, .unstored, .failed: return nil
        }
    }

    /// Answer for the waiters.
    private func outcome(_ ending: Ending) -> FlightOutcome {
        switch ending {
        case .stored(let stored, let status, let isReusable):
            // Not where the origin wants to be asked each time (RFC 9111 4).
            isReusable ? .stored(stored, originStatus: status) : .released
        case .unstored(let response, let reason):
            isEveryones(response, reason)
                ? .unstored(response, reason) : isLeadersOwn(response) ? .leadersOwn(nil) : .released
        case .failed(let failure): isLeadersOwn(failure) ? .leadersOwn(failure) : .failed(failure)
        }
    }

    /// Under the origin's own rules an error is not shared, and the next request may draw none.
    /// Where it comes again to those who have tried once more, it is the target's.
    private func isLeadersOwn(_ response: UpstreamResponse) -> Bool {
        response.status >= 400 && traits.carriesFields && !hasRejoined
    }

    private func isLeadersOwn(_ failure: ExchangeFailure) -> Bool {
        failure.reason == .queueFull || failure.reason == .shareUsed || failure.mayBeOfTheTarget && traits.carriesFields
    }

    private func isEveryones(_ response: UpstreamResponse, _ reason: Reason) -> Bool {
        switch reason {
        case .outdated: !varies(response)
        case .noAnswer, .incomplete, .contradicted: traits.hasImpersonalErrors
        default: traits.hasImpersonalErrors && OriginVerdict.standsIn(forStatus: response.status)
        }
    }

    /// Whether the client's own fields may have chosen the answer.
    private func varies(_ response: UpstreamResponse) -> Bool {
        traits.carriesFields && !response.facts.vary.names.isEmpty
    }

    /// Gives the client, or the exchange whose part this is, what came.
    mutating func deliver(_ ending: Ending) -> Step {
        if traits.audience == .part { return Step(client: .report(PartEnd(ending))) }
        guard isUnanswered else { return Step() }
        switch ending {
        case .stored(let stored, let status, _): return answer(.stored(stored, originStatus: status))
        case .unstored(let response, let reason):
            let pass = ClientAction.pass(response, reason)
            let isRefused = reason == .upstreamRefused
            guard isRefused || OriginVerdict.standsIn(forStatus: response.status) else { return answer(pass) }
            let cause = isRefused ? reason : .upstreamError
            return answer(.substitute([.standIn], cause, originStatus: response.status, otherwise: pass))
        case .failed(let failure): return give(up: failure)
        }
    }

    /// The origin gave nothing that can be passed on: the stale answer, what can be composed by
    /// now, or an error.
    mutating func give(up failure: ExchangeFailure) -> Step {
        if traits.audience == .part { return Step(client: .report(.failed(failure))) }
        guard isUnanswered else { return Step() }
        // A part that was missing when the request came may have come with others' answers, or out
        // of the file.
        return answer(
            .substitute(
                [.standIn, .composition(nil)], failure.reason, originStatus: failure.originStatus,
                otherwise: .refuse(failure)))
    }

    mutating func answer(_ action: ClientAction) -> Step {
        client = .done
        return Step(timer: .cancel, client: action)
    }
}

extension PartEnd {
    /// The end by an answer that is too large to be collected.
    init(tooLarge response: UpstreamResponse) {
        self =
            OriginVerdict.standsIn(forStatus: response.status)
            ? .failed(ExchangeFailure(status: 502, reason: .upstreamError, originStatus: response.status))
            : response.status == 200 ? .tooLarge : .unusable(status: response.status)
    }

    fileprivate init(_ ending: ExchangeState.Ending) {
        switch ending {
        case .stored(let stored, _, _): self = .stored(status: stored.status)
        case .unstored(_, .incomplete): self = .incomplete
        case .unstored(let response, let reason):
            self =
                OriginVerdict.standsIn(forStatus: response.status)
                ? .refused(response, reason) : .unusable(status: response.status)
        case .failed(let failure): self = .failed(failure)
        }
    }
}
