/// Receives the answer to a request. All calls come on the exchange's loop, and none after
/// `finished`, `answered`, `failed`, or after `cancel()` has returned. A receiver is kept alive by
/// its exchange until then.
public protocol UpstreamReceiver: AnyObject {
    /// Something came of the exchange.
    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent)
    /// Whether an answer whose head has come is to be `answered` in one piece. Nothing larger than
    /// `maxCollectedBytes` is.
    func upstream(_ exchange: UpstreamExchange, wantsWhole response: UpstreamResponse) -> Bool
}

extension UpstreamReceiver {
    public func upstream(_ exchange: UpstreamExchange, wantsWhole response: UpstreamResponse) -> Bool { true }
}
