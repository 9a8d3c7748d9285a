/// Who asked. All calls come on the pool's loop, and none after `upstreamFinished`, `answered`,
/// `failed`, or after `cancel()` has returned. A receiver is kept alive by its exchange until then.
public protocol UpstreamReceiver: AnyObject {
    /// Something to pass on before the answer (RFC 9110, 15.2). A bounded number of them comes.
    func upstream(_ exchange: UpstreamExchange, interim: UpstreamInterim)
    /// The whole answer, its content at most `maxCollectedBytes`: the common case.
    func upstream(_ exchange: UpstreamExchange, answered response: UpstreamResponse)
    /// A larger answer begins: its content so far. More comes by `received`, the end by
    /// `upstreamFinished`.
    func upstream(_ exchange: UpstreamExchange, began response: UpstreamResponse)
    /// The next bytes of a larger answer, never empty.
    func upstream(_ exchange: UpstreamExchange, received bytes: [UInt8])
    /// The larger answer is complete.
    func upstreamFinished(_ exchange: UpstreamExchange)
    /// There will be no (more of the) answer. After `began` the client must see an incomplete
    /// response.
    func upstream(_ exchange: UpstreamExchange, failed failure: UpstreamFailure)
}

extension UpstreamReceiver {
    /// Interim responses may be left out (RFC 9110, 15.2).
    public func upstream(_ exchange: UpstreamExchange, interim: UpstreamInterim) {}
}
