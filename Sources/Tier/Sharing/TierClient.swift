import Cache
import EventLoop

/// One loop's way to the shared tier: what leaders ask and leave there, as commands. Confined to
/// its loop.
package final class TierClient {
    let tier: SharedTier
    let loop: EventLoop
    private let connection: TierConnection
    private let place: Int
    /// What a claim says: whose it is, for people who look.
    private let name: [UInt8]
    /// How often the connection had been made anew when a generation was last asked for.
    var seenReconnects = 0

    /// Begins to dial. On the loop.
    package init(_ tier: SharedTier, loop: EventLoop) {
        (self.tier, self.loop) = (tier, loop)
        connection = TierConnection(tier.settings, loop: loop) { [tier] in tier.log($0) }
        place = tier.addConnection()
        name = Array(tier.settings.nodeName.utf8)
    }

    /// For good.
    package func close() { connection.close() }

    /// What one question brought.
    struct Found {
        /// The bytes under the value's name; nil where there are none.
        let value: [UInt8]?
        let gotClaim: Bool
    }

    /// Gets the value, and sets the claim for this node where there is none. Nil: no answer, or one
    /// that is no answer to that.
    func ask(_ pair: TierKeys.Pair, _ completion: @escaping (Found?) -> Void) {
        let claim = RESPCommand([
            Array("SET".utf8), pair.claim, name, Array("NX".utf8), Array("PX".utf8),
            Array("\(TierLook.claimLife.components.seconds * 1000)".utf8),
        ])
        send([RESPCommand([Array("GET".utf8), pair.value]), claim]) { replies in
            guard let replies, case .bulk(let value) = replies[0], replies[1].isOK || replies[1].isNil else {
                return completion(nil)
            }
            completion(Found(value: value, gotClaim: replies[1].isOK))
        }
    }

    /// Puts a value under its name for so many milliseconds.
    func put(_ value: [UInt8], at pair: TierKeys.Pair, milliseconds: Int) {
        tier.counters.count(.put)
        send([
            RESPCommand([
                Array("SET".utf8), pair.value, value, Array("PX".utf8), Array("\(milliseconds)".utf8),
            ])
        ]) { _ in }
    }

    func giveBack(_ pair: TierKeys.Pair) {
        send([RESPCommand([Array("DEL".utf8), pair.claim])]) { _ in }
    }

    /// What was read cannot be what was asked for: the connection is made anew.
    func distrust() { connection.distrust() }

    /// How often the connection was made anew.
    var reconnects: Int { connection.status.reconnects }

    func send(_ commands: [RESPCommand], _ completion: @escaping ([RESPReply]?) -> Void) {
        connection.send(commands) { [self] replies in
            tier.note(connection.status, at: place)
            completion(replies)
        }
    }
}
