import EventLoop

/// The engine's replies, and the commands to which they belong.
extension SessionState {
    /// Bytes have come. On a connection without a question there must be none, not even a part of a
    /// reply.
    mutating func received(_ bytes: Span<UInt8>, now: Instant) -> [Action] {
        var actions: [Action] = []
        var offset = 0
        while offset < bytes.count, isListening {
            let rest = bytes.extracting(offset...)
            do throws(RESPFault) {
                let step = try reader.read(rest)
                offset += step.consumed
                guard let reply = step.reply else { break }
                actions += take(reply, isLast: offset == bytes.count, now: now)
            } catch {
                return actions + [.close] + giveUp(.malformed(error), now: now)
            }
        }
        if phase == .ready, queue.isAwaiting, !reader.isBetweenReplies { flowedAt = now }
        guard phase == .ready, !queue.isAwaiting, !reader.isBetweenReplies else { return actions }
        return actions + [.close] + leave(.surplus, now: now)
    }

    /// A reply on this connection answers no command of it: replies and commands may not
    /// belong together any more.
    mutating func distrust(now: Instant) -> [Action] {
        phase == .ready ? [.close] + leave(.mismatch, now: now) : []
    }

    private var isListening: Bool {
        switch phase {
        case .greeting, .ready: true
        case .idle, .dialing, .pausing, .closed: false
        }
    }

    private mutating func take(_ reply: RESPReply, isLast: Bool, now: Instant) -> [Action] {
        if case .greeting = phase { return takeGreeting(reply, isLast: isLast, now: now) }
        guard queue.isAwaiting else { return [.close] + leave(.surplus, now: now) }
        guard let answered = queue.take(reply) else { return [] }
        if let owner = answered.replies.lazy.compactMap({ [engine] in SlotOwner($0, from: engine) }).first {
            return fail([answered.id]) + follow(owner, now: now)
        }
        let actions: [Action] = [.complete(answered.id, answered.replies)] + succeed(answered, now: now)
        guard let code = answered.replies.lazy.compactMap(\.errorCode).first(where: Self.isDemotion) else {
            return actions
        }
        return actions + [.close] + leave(.demoted(code), now: now)
    }

    /// - Parameter isLast: whether no byte follows it. Bytes after the greeting's last reply answer
    ///   nothing, and would be taken for the reply to the next command.
    private mutating func takeGreeting(_ reply: RESPReply, isLast: Bool, now: Instant) -> [Action] {
        greetingReplies.append(reply)
        if greetingReplies.count == 1, let failure = greeting.verdict(first: reply) {
            return [.close] + tryNext(failure, now: now)
        }
        guard greetingReplies.count == greeting.commands.count else { return [] }
        let verdict = greeting.verdict(greetingReplies, of: engine)
        greetingReplies = []
        switch verdict {
        case .unusable(let failure): return [.close] + tryNext(failure, now: now)
        case .moved(let owner): return follow(owner, now: now)
        case .usable: if !isLast { return [.close] + tryNext(.surplus, now: now) }
        }
        phase = .ready
        if hasBeenReady { counters.reconnects += 1 }
        hasBeenReady = true
        return reportUsable() + sendUnsent(now: now) + probe(now: now)
    }

    /// The pipeline was answered in time, whatever the replies say.
    private mutating func succeed(_ pipeline: PipelineQueue.Pipeline, now: Instant) -> [Action] {
        breaker.succeeded()
        (pauses, moves) = (0, 0)
        if let sentAt = pipeline.sentAt { counters.latencySum += now - sentAt }
        counters.latencyCount += 1
        return reportUsable()
    }

    private mutating func reportUsable() -> [Action] {
        breaker.isOpen ? [] : report(.connected(engine))
    }

    private mutating func giveUp(_ failure: TierFailure, now: Instant) -> [Action] {
        phase == .ready ? leave(failure, now: now) : tryNext(failure, now: now)
    }

    /// The errors by which an engine says that it follows another: of a write, and of a read while
    /// it has lost the one that it follows. A node of a cluster that is cut off from the others
    /// says that the cluster is down, while those may have another owner.
    private static func isDemotion(_ code: String) -> Bool {
        code == "READONLY" || code == "MASTERDOWN" || code == "CLUSTERDOWN"
    }
}
