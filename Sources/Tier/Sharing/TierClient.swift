import Cache
import EventLoop

/// A loop's client of the shared tier: the questions and values of leaders as commands. Confined to
/// its loop.
package final class TierClient {
    let tier: SharedTier
    let loop: EventLoop
    private let connection: TierConnection
    private let whenSilent: () -> Void
    /// Content of a claim: its owner, for people.
    private let name: [UInt8]
    /// How often the connection had been made anew when a generation was last asked for.
    var seenReconnects = 0

    /// Begins to dial. On the loop.
    /// - Parameter whenSilent: is called where a question was waited for in vain.
    package init(_ tier: SharedTier, loop: EventLoop, whenSilent: @escaping () -> Void = {}) {
        (self.tier, self.loop, self.whenSilent) = (tier, loop, whenSilent)
        connection = TierConnection(
            tier.settings, loop: loop, observe: tier.observer(of: .requests), refusals: tier.refusals
        ) { [tier] in tier.log($0) }
        name = Array(tier.settings.nodeName.utf8)
    }

    /// For good.
    package func close() { connection.close() }

    /// Result of one question.
    struct Found {
        /// The bytes under the value's name; nil where there are none.
        let value: [UInt8]?
        let claim: TierLook.Claim
        /// The names of other values that the hints lead to, each once.
        let hinted: [[UInt8]]
    }

    /// Gets the value, and sets the claim for this node where there is none. Nil: no answer, or one
    /// that is no answer to that.
    /// - Parameter hints: are read in the same pipeline, in case there is no value.
    func ask(_ pair: TierKeys.Pair, hints: [UInt64], _ completion: @escaping (Found?) -> Void) {
        let life = TierLook.claimLife.components.seconds * 1000
        var commands = [
            RESPCommand("GET", pair.value), RESPCommand("SET", pair.claim, name, "NX", "PX", "\(life)"),
        ]
        if !hints.isEmpty {
            commands.append(RESPCommand([Array("MGET".utf8)] + hints.map { tier.keys.hint($0, at: pair.origin) }))
        }
        send(commands) { replies in
            guard let replies, case .bulk(let value) = replies[0], let claim = TierLook.Claim(replies[1]) else {
                return completion(nil)
            }
            var hinted: [[UInt8]] = []
            for name in (hints.isEmpty ? nil : replies[2].elements) ?? [] {
                if let name = name.bytes, name != pair.value, !hinted.contains(name) { hinted.append(name) }
            }
            completion(Found(value: value, claim: claim, hinted: hinted))
        }
    }

    /// Gets the values of these names, in their order; nil where the tier does not answer.
    func get(_ names: [[UInt8]], _ completion: @escaping ([[UInt8]?]?) -> Void) {
        // As one reply they have one bound.
        send([RESPCommand([Array("MGET".utf8)] + names)]) { replies in
            completion(replies?[0].elements.flatMap { $0.count == names.count ? $0.map(\.bytes) : nil })
        }
    }

    /// Puts a value under its name for that many milliseconds, and hints that lead to it.
    func put(_ value: [UInt8], at pair: TierKeys.Pair, hints: [UInt64], milliseconds: Int) {
        func set(_ name: [UInt8], _ value: [UInt8]) -> RESPCommand {
            RESPCommand("SET", name, value, "PX", "\(milliseconds)")
        }
        let commands = [set(pair.value, value)] + hints.map { set(tier.keys.hint($0, at: pair.origin), pair.value) }
        send(commands) { [tier] replies in tier.counters.count(replies?[0].isOK == true ? .put : .putFailed) }
    }

    func giveBack(_ pair: TierKeys.Pair) {
        send([RESPCommand("DEL", pair.claim)]) { _ in }
    }

    /// The number of the cache's list of purges under which the value was born; nil where it is not
    /// to be taken.
    package func born(_ value: TierValue) -> Int64? { tier.knowledge.born(value) }

    /// The reply cannot be the one that was asked for: the connection is made anew.
    func distrust() { connection.distrust() }

    /// How often the connection was made anew.
    var reconnects: Int { connection.status.reconnects }

    func send(_ commands: [RESPCommand], _ completion: @escaping ([RESPReply]?) -> Void) {
        let asked = loop.now
        connection.send(commands) { [self] replies in
            if replies == nil, loop.now > asked { whenSilent() }
            completion(replies)
        }
    }
}
