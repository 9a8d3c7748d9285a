import EventLoop
import Synchronization

/// A holder of answers that wait for a slow client: a connection, or the frames of one of HTTP/2.
protocol AnswerHolder: AnyObject {
    var context: LoopContext { get }

    /// Releases the answer of `ticket`, and closes its client's connection.
    func giveWay(_ ticket: AnswerBudget.Ticket)
}

/// The memory that answers may hold which slow clients have not taken yet: one sum over the
/// connections of all loops (FRAMING 6.7). Bytes that the kernel took at once are not counted; that
/// keeps hits free of it.
///
/// Used from any thread.
public final class AnswerBudget: Sendable {
    typealias Ticket = UnsentAnswers<Confined<any AnswerHolder>>.Ticket

    private struct State {
        var limit: Int
        var unsent = UnsentAnswers<Confined<any AnswerHolder>>()
    }

    private let state: Mutex<State>

    /// The default of `serve`.
    public static let standard = 128 << 20

    /// - Parameter limit: bytes.
    public init(limit: Int = AnswerBudget.standard) {
        state = Mutex(State(limit: limit))
    }

    /// Sets the limit, in bytes; it is applied when the next answer waits.
    public func limit(to bytes: Int) { state.withLock { $0.limit = bytes } }

    /// Bytes that are held now.
    public var heldBytes: Int { state.withLock { $0.unsent.heldBytes } }

    /// An answer begins to wait. Where that is too much, others are reset in turns of their loops,
    /// this one at last.
    func begin(_ holder: some AnswerHolder, of party: UInt64, content: UInt, byteCount: Int) -> Ticket {
        let client = Confined<any AnswerHolder>(holder, to: holder.context.loop)
        let (ticket, victims) = state.withLock { state in
            let ticket = state.unsent.begin(client, of: party, content: content, byteCount: byteCount)
            var victims: [(client: Confined<any AnswerHolder>, ticket: Ticket)] = []
            while state.unsent.heldBytes > state.limit, let victim = state.unsent.takeVictim() {
                victims.append(victim)
            }
            return (ticket, victims)
        }
        for (client, ticket) in victims { client.execute { $0.giveWay(ticket) } }
        return ticket
    }

    /// It has left, or will not.
    func end(_ ticket: Ticket) { state.withLock { $0.unsent.end(ticket) } }
}
