import EventLoop

// Answers that the kernel did not take at once.

extension ClientConnection {
    /// Counts the memory of an answer's rest until it has left.
    func countUnsent(_ content: [UInt8], _ file: SealedFile?) {
        let place = file.map { UInt(bitPattern: ObjectIdentifier($0)) }
        let here = content.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        countUnsent(content.count, at: place ?? here)
    }

    /// Counts the end of a streamed answer, which is this connection's alone.
    func countUnsentRest() {
        countUnsent(carrier.pendingBytes, at: UInt(bitPattern: ObjectIdentifier(self)))
    }

    func countUnsent(_ byteCount: Int, at place: UInt) {
        unsent = context.answerBudget.begin(self, of: party, content: place, byteCount: byteCount)
    }

    /// The party whose shares it uses: that of its key, else that of its network.
    var party: UInt64 {
        client.map { UInt64(bitPattern: Int64($0.name.hashValue)) } ?? peerNetwork ?? 0
    }

    /// The answer has left, or will not.
    func uncountUnsent() {
        if let ticket = unsent.take() { context.answerBudget.end(ticket) }
    }

}

extension ClientConnection: AnswerHolder {
    /// Resets the connection if it still sends this answer.
    func giveWay(_ ticket: AnswerBudget.Ticket) {
        guard unsent == ticket else { return }
        unsent = nil
        context.census.refusals.note(.answerMemory, namedClient ?? stream.peer, at: context.loop.now)
        reset()
    }
}
