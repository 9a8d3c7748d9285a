import EventLoop

// What the events of `PoolState` have in common.

extension PoolState {
    var counts: (starting: Int, backingOff: Int, leased: Int) {
        var counts = (starting: 0, backingOff: 0, leased: 0)
        for state in connections.values {
            switch state {
            case .starting: counts.starting += 1
            case .backingOff: counts.backingOff += 1
            case .leased: counts.leased += 1
            case .idle: break
            }
        }
        return counts
    }

    /// The counters with the numbers of this moment filled in.
    var currentCounters: UpstreamCounters {
        var result = counters
        (result.starting, _, result.leased) = counts
        result.idle = idle.count
        result.waiting = waiting.count
        return result
    }

    /// One connection for each that waits, within the bound. After a failure one attempt at a time,
    /// and none in a pause.
    mutating func openWhatIsNeeded(now: Instant) -> [Action] {
        // Mostly nothing waits; counting goes through all connections.
        guard !waiting.isEmpty else { return [] }
        var actions: [Action] = []
        var (starting, backingOff, _) = counts
        while starting < waiting.count, backingOff == 0, consecutiveConnectFailures == 0 || starting == 0 {
            if connections.count >= settings.maxConnections {
                // An idle one that is of no use to those who wait makes room.
                guard let oldest = idle.first else { break }
                remove(oldest)
                actions.append(.close(oldest))
            }
            let connection = ConnectionID(number: nextConnection)
            nextConnection += 1
            let deadline = now + settings.connectTimeout
            connections[connection] = .starting(deadline: deadline)
            wake(at: deadline)
            starting += 1
            actions.append(.open(connection))
        }
        return actions
    }

    /// The idle connection used last, if it is good enough for this request.
    mutating func takeIdle(for ticket: Ticket, now: Instant) -> ConnectionID? {
        guard let last = idle.last, case .idle(let since) = connections[last] else { return nil }
        let trusted = ticket.isReplayable ? settings.idleTimeout : min(settings.recentUse, settings.idleTimeout)
        guard now < since + trusted else { return nil }
        return idle.removeLast()
    }

    mutating func lease(
        _ connection: ConnectionID, to ticket: Ticket, isReused: Bool, now: Instant
    ) -> Action {
        if isReused { counters.reused += 1 }
        let due = Due(deadline: now + settings.firstByteTimeout, phase: .firstByte)
        connections[connection] = .leased(ticket, isReused: isReused, due: due)
        wake(at: min(due.deadline, ticket.deadline))
        return .lease(connection, ticket.request, isReused: isReused)
    }

    mutating func becomeIdle(_ connection: ConnectionID, now: Instant) -> [Action] {
        guard !isDraining else {
            remove(connection)
            return [.close(connection)]
        }
        connections[connection] = .idle(since: now)
        idle.append(connection)
        wake(at: now + settings.idleTimeout)
        return []
    }

    /// Holds the place of a connection that could not be opened, so that the next attempt waits.
    /// One place is enough, and connections that fail together are one failure.
    mutating func backOff(_ connection: ConnectionID, now: Instant) {
        guard counts.backingOff == 0 else { return remove(connection) }
        consecutiveConnectFailures += 1
        let doublings = min(consecutiveConnectFailures - 1, 16)
        let until = now + min(settings.backoff * (1 << doublings), settings.maxBackoff)
        connections[connection] = .backingOff(until: until)
        wake(at: until)
    }

    mutating func fail(_ request: RequestID, _ failure: UpstreamFailure) -> Action {
        counters.failures += 1
        return .fail(request, failure)
    }

    mutating func remove(_ connection: ConnectionID) {
        connections[connection] = nil
        idle.removeAll { $0 == connection }
    }
}
