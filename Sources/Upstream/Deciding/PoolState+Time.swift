import EventLoop

// Deadlines and pauses: the events of `PoolState` that the clock alone causes.

extension PoolState {
    /// Ends what is overdue and tries again what has waited long enough.
    mutating func tick(now: Instant) -> [Action] {
        guard let due = wakeAt, due <= now else { return [] }
        wakeAt = nil
        var actions: [Action] = []
        for connection in connections.keys.sorted() {
            actions += tick(connection, now: now)
        }
        for ticket in waiting where ticket.deadline <= now {
            actions.append(fail(ticket.request, .timeout(.whole)))
        }
        waiting.removeAll { $0.deadline <= now }
        for ticket in waiting { wake(at: ticket.deadline) }
        return actions + openWhatIsNeeded(now: now)
    }

    private mutating func tick(_ connection: ConnectionID, now: Instant) -> [Action] {
        switch connections[connection] {
        case nil:
            return []
        case .starting(let deadline):
            guard deadline <= now else { return stay(until: deadline) }
            return connectFailed(connection, .timeout(.connect), now: now)
        case .backingOff(let until):
            guard until <= now else { return stay(until: until) }
            remove(connection)
            return []
        case .idle(let since):
            let until = since + settings.idleTimeout
            guard until <= now else { return stay(until: until) }
            return closedWhileIdle(connection)
        case .leased(let ticket, _, let due):
            if let due, due.deadline <= now { return broke(connection, .timeout(due.phase), now: now) }
            guard ticket.deadline <= now else {
                return stay(until: min(due?.deadline ?? ticket.deadline, ticket.deadline))
            }
            return broke(connection, .timeout(.whole), now: now)
        }
    }

    private mutating func stay(until instant: Instant) -> [Action] {
        wake(at: instant)
        return []
    }

    mutating func wake(at instant: Instant) {
        wakeAt = min(wakeAt ?? instant, instant)
    }
}
