import Cache
import Text

// The state of a user's answers on which all nodes agree: the value of `TierKeys.generation`.
// Must hold: a number that was given up never comes back, whatever the engine forgets; a reply to
// another question counts as none.
//
// Before a write is sent to the origin, the number is overwritten by a word that lasts for
// `writeLife`, and no node keeps or uses anything of the user's meanwhile. Then the key is gone,
// and the next question draws another number. So a write that was announced needs nothing
// afterwards, though its node dies; one that ends is announced again, for it may have taken long.

/// The engine's reply about a user.
package enum TierGeneration: Sendable, Equatable {
    /// Answers stored in this generation are up to date.
    case current(UserGeneration)
    /// The user writes, or has written a moment ago.
    case writing
    /// The engine did not say.
    case unknown

    /// Longer than a write lasts: it waits 15 seconds for its turn and 60 for its answer, both
    /// twice where the developer token is renewed, and its effect may be seen 10 seconds later.
    static var writeLife: Duration { .seconds(180) }
    /// After that another number is drawn. Nothing but hits depends on it.
    static var life: Duration { .seconds(86_400) }

    /// Draws a number where there is none, and asks for the one that counts.
    static func question(_ user: UserHash, _ keys: TierKeys, drawn: UserGeneration = .random()) -> [RESPCommand] {
        let name = keys.generation(user.bytes)
        let value = text(of: user) + ":\(Hexadecimal.text(drawn.bytes))"
        return [RESPCommand("SET", name, value, "NX", "PX", milliseconds(life)), RESPCommand("GET", name)]
    }

    /// Says that the user writes.
    static func announcement(_ user: UserHash, _ keys: TierKeys) -> [RESPCommand] {
        let (name, value) = (keys.generation(user.bytes), text(of: user) + ":writing")
        return [RESPCommand("SET", name, value, "PX", milliseconds(writeLife))]
    }

    /// Reads the replies to `question`. The value names its user, since a reply that was lost or
    /// repeated may have put another's here.
    static func read(_ replies: [RESPReply]?, of user: UserHash) -> TierGeneration {
        guard let replies, replies.count == 2, replies[0].isOK || replies[0].isNil, let value = replies[1].bytes,
            value.starts(with: (text(of: user) + ":").utf8)
        else { return .unknown }
        let word = value.dropFirst(text(of: user).utf8.count + 1)
        if word.elementsEqual("writing".utf8) { return .writing }
        return UserGeneration(digits: word).map(TierGeneration.current) ?? .unknown
    }

    private static func text(of user: UserHash) -> String { Hexadecimal.text(user.bytes) }

    private static func milliseconds(_ time: Duration) -> String { "\(time.components.seconds * 1000)" }
}

extension TierClient {
    /// The generation of the user's answers on which all nodes agree now. Answers stored before the
    /// connection was made anew are of none: another engine, or one that began again, may have
    /// forgotten a write.
    package func generation(of user: UserHash, _ completion: @escaping (TierGeneration) -> Void) {
        send(TierGeneration.question(user, tier.keys)) { [self] replies in
            let found = TierGeneration.read(replies, of: user)
            guard case .current(let generation) = found else { return completion(found) }
            completion(.current(generation.inLife(tier.life(ofConnectionMade: reconnects, seenAs: &seenReconnects))))
        }
    }

    /// Ends the generation on all nodes, as the user is about to write. False: they may not have
    /// heard of it.
    package func announceWrite(of user: UserHash, _ completion: @escaping (Bool) -> Void) {
        send(TierGeneration.announcement(user, tier.keys)) { completion($0?.first?.isOK == true) }
    }
}
