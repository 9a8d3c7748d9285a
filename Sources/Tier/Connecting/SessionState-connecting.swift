import EventLoop

/// How a connection comes about and ends: rounds over all engines, with growing pauses between
/// them.
extension SessionState {
    mutating func start(now: Instant) -> [Action] {
        guard phase == .idle else { return [] }
        return beginRound(now: now)
    }

    /// Ends it for good; pipelines that wait fail.
    mutating func stop() -> [Action] {
        guard phase != .closed else { return [] }
        phase = .closed
        wakeAt = nil
        return [.close] + fail(queue.removeSent() + queue.removeUnsent(dueBy: Instant(nanoseconds: .max)))
    }

    /// A connection is open and, with TLS, the engine verified.
    mutating func opened(now: Instant) -> [Action] {
        guard case .dialing = phase else { return [] }
        let deadline = now + timeout
        phase = .greeting(deadline: deadline)
        wake(at: deadline)
        (reader, greetingReplies) = (RESPReader(), [])
        return [.send(RESPCommand.pipeline(greeting.commands))]
    }

    /// No address of the engine accepted a connection. There is nothing to close.
    mutating func dialFailed(_ failure: DialFailure, now: Instant) -> [Action] {
        guard case .dialing = phase else { return [] }
        return tryNext(.dial(failure), now: now)
    }

    /// The connection has ended, and is closed already.
    mutating func lost(now: Instant) -> [Action] {
        switch phase {
        case .greeting: tryNext(.closed, now: now)
        case .ready: leave(.closed, now: now)
        case .idle, .dialing, .pausing, .closed: []
        }
    }

    /// Fails overdue pipelines, and dials again after a pause.
    mutating func tick(now: Instant) -> [Action] {
        guard let due = wakeAt, due <= now else { return [] }
        wakeAt = nil
        let actions = endUnsent(now: now) + tickPhase(now: now)
        if let deadline = queue.earliestDeadline { wake(at: putOff(deadline)) }
        return actions
    }

    private mutating func tickPhase(now: Instant) -> [Action] {
        switch phase {
        case .idle, .closed:
            return []
        case .dialing(let deadline):
            guard deadline <= now else { return stay(until: deadline) }
            return [.close] + tryNext(.dial(.timedOut), now: now)
        case .greeting(let deadline):
            guard deadline <= now else { return stay(until: deadline) }
            return [.close] + tryNext(.timeout(.greeting), now: now)
        case .pausing(let until):
            guard until <= now else { return stay(until: until) }
            return beginRound(now: now)
        case .ready:
            let overdue = queue.overdueSent { putOff($0) <= now }
            guard overdue > 0 else { return probe(now: now) }
            counters.timeouts += overdue
            return [.close] + leave(.timeout(.reply), now: now)
        }
    }

    /// Fails pipelines for which there was no connection in time. They count as one failure, so
    /// that an engine out of reach does not cost its timeout for as long as dialling takes.
    private mutating func endUnsent(now: Instant) -> [Action] {
        let due = queue.removeUnsent(dueBy: now)
        guard !due.isEmpty else { return [] }
        counters.timeouts += due.count
        return fail(due) + noteFailure(.dial(.timedOut), now: now)
    }

    /// The deadline, put off while a reply is arriving. An engine whose reply is on its way is not
    /// dead, however long a large one takes on a narrow link; and later replies cannot have come.
    private func putOff(_ deadline: Instant) -> Instant {
        guard let flowedAt else { return deadline }
        return max(deadline, min(flowedAt + timeout, deadline + limits.flowTime))
    }

    private mutating func stay(until instant: Instant) -> [Action] {
        wake(at: instant)
        return []
    }

    // MARK: Steps that events share

    /// The owner that was known last comes first, and all endpoints after it.
    private mutating func beginRound(now: Instant) -> [Action] {
        untried = owner == nil ? endpoints.count - 1 : endpoints.count
        moves = 0
        return dial(now: now)
    }

    private mutating func dial(now: Instant) -> [Action] {
        let deadline = now + limits.dialTimeout
        phase = .dialing(deadline: deadline)
        wake(at: deadline)
        return [.dial(engine)]
    }

    /// The engine is not to be used: the next one, or a pause after the last.
    mutating func tryNext(_ failure: TierFailure, now: Instant) -> [Action] {
        counters.lastError = failure.word
        let failed = engine
        if owner == nil { current = (current + 1) % endpoints.count }
        owner = nil
        var actions: [Action] = []
        if case .refused(let refusal) = failure { actions.append(.refused(refusal)) }
        if untried > 0 {
            untried -= 1
            return actions + dial(now: now)
        }
        breaker.failed(now: now)
        return actions + report(.unusable(failed, failure)) + pause(now: now)
    }

    /// A node of a cluster has named the owner of the keys: that one is dialled at once. What was
    /// sent gets no replies, and what was not sent goes to the owner.
    mutating func follow(_ named: SlotOwner, now: Instant) -> [Action] {
        counters.lastError = TierFailure.moved.word
        flowedAt = nil
        let actions: [Action] = [.close] + fail(queue.removeSent())
        guard moves < limits.maxMoves else { return actions + tryNext(.moved, now: now) }
        if owner == nil { current = (current + 1) % endpoints.count }
        moves += 1
        owner = named.endpoint
        return actions + dial(now: now)
    }

    /// The connection in use has ended; waiting commands get no replies.
    ///
    /// One that an engine closes while nothing waits is no failure: it may have been idle for too
    /// long, or the engine is started anew. An engine that is no master any more did answer.
    mutating func leave(_ failure: TierFailure, now: Instant) -> [Action] {
        counters.lastError = failure.word
        flowedAt = nil
        let isFailure = failure == .closed ? queue.isAwaiting : !failure.isDemotion
        let actions: [Action] = fail(queue.removeSent()) + (isFailure ? noteFailure(failure, now: now) : [])
        if failure.isDemotion {
            if owner == nil { current = (current + 1) % endpoints.count }
            owner = nil
        }
        return actions + pause(now: now)
    }

    /// Counts a failure, and reports it where that opens the breaker.
    private mutating func noteFailure(_ failure: TierFailure, now: Instant) -> [Action] {
        breaker.failed(now: now)
        return breaker.isOpen ? report(.unusable(engine, failure)) : []
    }

    /// Waits before the next round. Pipelines that are due before it fail at once.
    private mutating func pause(now: Instant) -> [Action] {
        let until = now + min(limits.backoff * (1 << min(pauses, 16)), limits.maxBackoff)
        pauses += 1
        phase = .pausing(until: until)
        wake(at: until)
        return fail(queue.removeUnsent(dueBy: breaker.isOpen ? Instant(nanoseconds: .max) : until))
    }

    /// Reports a change only: from one engine to another, or between used and unusable.
    mutating func report(_ usability: Usability) -> [Action] {
        if case (.unusable?, .unusable) = (reported, usability) { return [] }
        guard reported != usability else { return [] }
        reported = usability
        return [.report(usability)]
    }
}
