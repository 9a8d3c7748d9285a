import EventLoop
import TestSupport

@testable import Tier

extension SharedTier {
    /// The tier of a node that knows the log of purges from its beginning, with nothing in it.
    convenience init(ofNode number: Int, _ engine: RedisServer) {
        let endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: engine.port)
        var settings = TierSettings(endpoints: [endpoint], nodeName: "node\(number)")
        settings.timeout = .seconds(60)
        self.init(settings) { _ in }
        let epoch = LogEpoch(number: 1)
        knowledge.begin(epoch, forgottenUntil: .start)
        knowledge.stand(fence: LogMark(epoch, .start), mayTake: true)
    }
}
