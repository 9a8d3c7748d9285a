/// Answers that clients have not taken to their end: their memory, and the one that gives way where
/// that is too much. Pure.
///
/// Must hold: content that several clients are sent counts once, because memory holds it once. The
/// party that holds most gives way, with its oldest answer, so that no client is reset for
/// another's answers.
struct UnsentAnswers<Client> {
    /// Names an answer until it has left.
    typealias Ticket = Int

    private struct Answer {
        let client: Client
        let party: UInt64
        let content: UInt
        let byteCount: Int
    }

    /// Unsent answers of one client key, or of one address.
    private struct Party {
        /// Bytes of the party's answers; content that several are sent counts for each.
        var byteCount = 0
        var count = 0
        /// In the order in which they were begun; some have ended.
        var tickets: [Ticket] = []
    }

    private var answers: [Ticket: Answer] = [:]
    private var contents: [UInt: (byteCount: Int, clients: Int)] = [:]
    private var parties: [UInt64: Party] = [:]
    private var next: Ticket = 0
    /// Bytes that all of them hold.
    private(set) var heldBytes = 0

    /// An answer begins to wait.
    ///
    /// - Parameters:
    ///   - party: the client's key or address.
    ///   - content: its place in memory; the same place is the same content.
    ///   - byteCount: how large it is.
    mutating func begin(_ client: Client, of party: UInt64, content: UInt, byteCount: Int) -> Ticket {
        let ticket = next
        next += 1
        answers[ticket] = Answer(client: client, party: party, content: content, byteCount: byteCount)
        parties[party, default: Party()].byteCount += byteCount
        parties[party, default: Party()].count += 1
        parties[party, default: Party()].tickets.append(ticket)
        let known = contents[content]
        if known == nil { heldBytes += byteCount }
        contents[content] = (known?.byteCount ?? byteCount, (known?.clients ?? 0) + 1)
        return ticket
    }

    /// It has left, or its client has.
    mutating func end(_ ticket: Ticket) {
        guard let answer = answers.removeValue(forKey: ticket) else { return }
        if let known = contents.removeValue(forKey: answer.content) {
            if known.clients > 1 {
                contents[answer.content] = (known.byteCount, known.clients - 1)
            } else {
                heldBytes -= known.byteCount
            }
        }
        guard var party = parties.removeValue(forKey: answer.party), party.count > 1 else { return }
        party.byteCount -= answer.byteCount
        party.count -= 1
        if party.tickets.count > 2 * party.count + 16 { party.tickets.removeAll { answers[$0] == nil } }
        parties[answer.party] = party
    }

    /// Takes out the answer that gives way.
    mutating func takeVictim() -> (client: Client, ticket: Ticket)? {
        let largest = parties.max { ($0.value.byteCount, $0.key) < ($1.value.byteCount, $1.key) }
        guard let ticket = largest?.value.tickets.first(where: { answers[$0] != nil }), let answer = answers[ticket]
        else { return nil }
        end(ticket)
        return (answer.client, ticket)
    }
}
