import Cache
import Freshness
import Upstream

// Events of an exchange that come from the origin's answers.

extension ExchangeState {
    mutating func answered(_ response: UpstreamResponse, _ decoding: Decoding) -> Step {
        guard case .asking = work else { preconditionFailure("the origin answers what it was asked") }
        isAged = (response.facts.age ?? 0) > 0
        guard decoding == .readable else {
            // The answer has a damaged coding although none was asked for.
            guard acceptsGzip else { return end(.failed(.unasked(response))) }
            wasDamaged = decoding == .damaged
            acceptsGzip = false
            return sendAgain()
        }
        switch verdict(response) {
        case .renewToken:
            work = .renewing(response, isStreamed: false)
            return Step(origin: .renewToken)
        case .confirm:
            work = .storing
            return Step(origin: .freshen(response))
        case .refuse: return end(.failed(.unasked(response)))
        case .accept:
            work = .storing
            return Step(origin: .store(response))
        }
    }

    private func verdict(_ response: UpstreamResponse) -> OriginVerdict {
        switch response.status {
        // Apple answers some writes 401 whatever the token is.
        case 401 where traits.hasOwnToken && traits.isSafe && !hasRenewedToken: .renewToken
        case 304 where validates: .confirm
        case 304 where !traits.isConditional, 206 where !traits.asksForRange: .refuse
        default: .accept
        }
    }

    mutating func tokenRenewed(_ isAnother: Bool) -> Step {
        guard case .renewing(let response, let isStreamed) = work else {
            preconditionFailure("a token is renewed after the origin refused one")
        }
        hasRenewedToken = true
        if isAnother { return sendAgain() }
        return isStreamed ? stream(response) : end(.unstored(response, .unauthorized))
    }

    mutating func wasStored(_ stored: StoredResponse, _ status: Int, isReusable: Bool) -> Step {
        guard case .storing = work else { preconditionFailure("an answer is stored after it came") }
        return end(.stored(stored, originStatus: status, isReusable: isReusable))
    }

    mutating func unstored(_ response: UpstreamResponse, _ reason: Reason) -> Step {
        guard case .storing = work else { preconditionFailure("an answer is judged after it came") }
        return end(.unstored(response, reason))
    }

    /// Shares an answer that could have been stored, unless it varies.
    mutating func outranked(_ response: UpstreamResponse) -> Step {
        var step = unstored(response, .serverError)
        if response.facts.vary.names.isEmpty { step.flight = .finish(.unstored(response, .serverError)) }
        return step
    }

    /// Asks again without validators.
    mutating func contradicted() -> Step {
        guard case .storing = work, validates else {
            preconditionFailure("only a conditional request is contradicted")
        }
        validates = false
        return sendAgain()
    }

    mutating func failed(_ failure: ExchangeFailure) -> Step {
        switch work {
        case .asking: return end(.failed(failure))
        case .streaming:
            work = .ended
            guard isStreaming else { return Step() }
            client = .done
            return Step(client: .breakOff(failure.reason))
        case .unstarted, .waiting, .looking, .completing, .completed, .renewing, .storing, .ended:
            preconditionFailure("only what was asked fails")
        }
    }
}

// MARK: - Large answers

extension ExchangeState {
    mutating func headArrived(_ response: UpstreamResponse) -> Step {
        guard case .asking = work else { preconditionFailure("the origin answers what it was asked") }
        switch verdict(response) {
        case .renewToken:
            work = .renewing(response, isStreamed: true)
            return Step(origin: .renewToken)
        case .accept where acceptsGzip && response.isGzip:
            // A streamed answer is not inflated, so it must come without a coding.
            acceptsGzip = false
            return sendAgain()
        case .accept where !(wasDamaged && response.isGzip): return stream(response)
        case .accept, .refuse, .confirm:
            var step = end(.failed(.unasked(response)))
            step.origin = .cancel
            return step
        }
    }

    /// A streamed answer serves one client; others cannot wait for it.
    private mutating func stream(_ response: UpstreamResponse) -> Step {
        work = .ended
        var step = streamToClient(response)
        step.flight = .finish(.released)
        step.invalidates = response
        step.endsUserGeneration = endsUserGeneration(response)
        if case .ended = work { step.origin = .cancel }
        return step
    }

    private mutating func streamToClient(_ response: UpstreamResponse) -> Step {
        switch client {
        case .waiting where hasClientLeft: return answer(.discard(response))
        case .waiting where OriginVerdict.standsIn(forStatus: response.status) && hasStandIn:
            return give(up: ExchangeFailure(status: 502, reason: .upstreamError, originStatus: response.status))
        case .waiting:
            (client, work) = (.streaming, .streaming)
            return Step(timer: .cancel, client: .beginStreaming(response))
        case .none, .done:
            return traits.audience == .part ? Step(client: .report(PartEnd(tooLarge: response))) : Step()
        case .streaming: preconditionFailure("a client is given one answer")
        }
    }

    mutating func received(_ bytes: [UInt8]) -> Step {
        guard case .streaming = work else { preconditionFailure("content follows a head") }
        return Step(client: .stream(bytes))
    }

    mutating func finished() -> Step {
        guard case .streaming = work else { preconditionFailure("content follows a head") }
        (work, client) = (.ended, .done)
        return Step(client: .endStreaming)
    }

    /// A client that leaves during a streamed answer ends it. Before its answer nothing changes:
    /// the answer is stored, counted and logged.
    mutating func clientLeft() -> Step {
        hasClientLeft = true
        guard isStreaming else { return Step() }
        (work, client) = (.ended, .done)
        return Step(client: .abandon, origin: .cancel)
    }
}
