import EventLoop

/// Is told of each sending of one request to the origin. Confined to the loop of its gate.
public protocol UpstreamTally: AnyObject {
    /// The request leaves: its turn has come. Repeats after a 429 are told too.
    func noteSending(at now: Instant)
}
