import EventLoop

// Answers that the kernel did not take at once.

extension ClientConnection {
    /// Counts what the rest of an answer keeps in memory until it has left. Where that is too much,
    /// the clients that have taken longest are reset, this one at last.
    func countUnsent(_ content: [UInt8], _ file: SealedFile?) {
        let place = file.map { UInt(bitPattern: ObjectIdentifier($0)) }
        let here = content.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        let (ticket, more) = context.unsent.begin(self, content: place ?? here, byteCount: content.count)
        unsent = ticket
        context.answers.take(more)
        while context.answers.isExceeded, let slowest = context.unsent.slowest() { slowest.giveWay() }
    }

    /// The answer has left, or will not.
    func uncountUnsent() {
        guard let ticket = unsent.take() else { return }
        context.answers.give(context.unsent.end(ticket))
    }

    private func giveWay() {
        uncountUnsent()
        context.answers.noteReset()
        reset()
    }
}
