// What a request may make the connection keep before it is complete.

extension ClientConnection {
    /// Lets the service judge the head before content is read. An answer now leaves content unread,
    /// after which nothing on this connection has a meaning (FRAMING 1.9).
    func admitContent() {
        phase = .answering
        requestedAt = context.loop.now
        client = nil
        keepsAlive = false
        isAdmitted = nameClient() && service.admits(self)
        guard isAdmitted, isOpen else { return }
        keepsAlive = true
        phase = .reading
    }

    /// Counts what the input takes; refuses the request where that is more than there is.
    func hold(_ input: RequestInput) -> Bool {
        if context.hold(input) { return true }
        if context.requestBudget.canHold(input.size) {
            refuse(status: 503, detail: "Too much is being read from other clients.")
        } else {
            refuse(status: 413, detail: "The request is larger than all requests together may be.")
        }
        return false
    }
}
