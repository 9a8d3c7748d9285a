/// Answers that clients have not taken to their end yet, in the order in which they were begun:
/// what they hold, and who gives way where that is too much. Pure; of one loop.
///
/// What must hold: content that several clients are being sent counts once, for it is there once;
/// who has taken longest is the first to go.
struct UnsentAnswers<Client> {
    /// Names an answer until it has left.
    typealias Ticket = Int

    private struct Answer {
        let client: Client
        let content: UInt
    }

    private var answers: [Ticket: Answer] = [:]
    private var contents: [UInt: (byteCount: Int, clients: Int)] = [:]
    /// No answer before this one is left.
    private var oldest: Ticket = 0
    private var next: Ticket = 0

    /// An answer begins to wait.
    ///
    /// - Parameters:
    ///   - content: where it lies in memory; the same place is the same content.
    ///   - byteCount: how large it is.
    /// - Returns: the bytes that it holds beside what is held anyway.
    mutating func begin(_ client: Client, content: UInt, byteCount: Int) -> (ticket: Ticket, more: Int) {
        let ticket = next
        next += 1
        answers[ticket] = Answer(client: client, content: content)
        guard let known = contents[content] else {
            contents[content] = (byteCount, 1)
            return (ticket, byteCount)
        }
        contents[content] = (known.byteCount, known.clients + 1)
        return (ticket, 0)
    }

    /// It has left, or its client has.
    /// - Returns: the bytes that are not held any more.
    mutating func end(_ ticket: Ticket) -> Int {
        guard let answer = answers.removeValue(forKey: ticket), let known = contents[answer.content] else { return 0 }
        guard known.clients == 1 else {
            contents[answer.content] = (known.byteCount, known.clients - 1)
            return 0
        }
        contents[answer.content] = nil
        return known.byteCount
    }

    /// The client that has taken longest.
    mutating func slowest() -> Client? {
        guard !answers.isEmpty else { return nil }
        while answers[oldest] == nil { oldest += 1 }
        return answers[oldest]?.client
    }
}
