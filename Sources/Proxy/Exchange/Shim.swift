import Upstream
enum UpstreamEvent { case interim(UpstreamInterim), answered(UpstreamResponse), began(UpstreamResponse), received([UInt8]), finished, failed(UpstreamFailure) }
extension GatedExchange { func pause() {}
 func resume() {} }
extension Exchange: UpstreamReceiver {
    func upstream(_ exchange: UpstreamExchange, interim: UpstreamInterim) { upstream(exchange, .interim(interim)) }
    func upstream(_ exchange: UpstreamExchange, answered response: UpstreamResponse) { upstream(exchange, .answered(response)) }
    func upstream(_ exchange: UpstreamExchange, began response: UpstreamResponse) { upstream(exchange, .began(response)) }
    func upstream(_ exchange: UpstreamExchange, received bytes: [UInt8]) { upstream(exchange, .received(bytes)) }
    func upstreamFinished(_ exchange: UpstreamExchange) { upstream(exchange, .finished) }
    func upstream(_ exchange: UpstreamExchange, failed failure: UpstreamFailure) { upstream(exchange, .failed(failure)) }
}
