/// Is told of a gate's requests, so that they can be counted. All calls come on the gate's loop.
public protocol UpstreamObserver: AnyObject {
    /// A request has to wait for its turn.
    func upstreamQueued()
    /// The request that was just queued waits although a connection is free, because its party
    /// holds its share of them.
    func upstreamLacksShare()
    /// A request's turn has come, or that of a repeat of it after a 429.
    func upstreamStarted(_ label: UpstreamLabel, isRepeated: Bool)
    /// A request found the queue full, or gave way in it to a more urgent one.
    func upstreamRefused()
    /// A request met a 429.
    func upstreamRateLimited()
    /// A request is sent again after a 429.
    func upstreamRepeated()
    /// A sending was answered with that status, the head of the answer after that time, or not at
    /// all.
    func upstreamAnswered(_ priority: UpstreamPriority, status: Int?, after time: Duration?)
}
