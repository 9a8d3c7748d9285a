import EventLoop
import Testing

@testable import Tier

@Suite struct TierSettingsTests {
    @Test func thePasswordIsNotShown() {
        let endpoints = ["a", "::1"].map { Endpoint(isTLS: false, host: $0, port: 6379) }
        var settings = TierSettings(endpoints: endpoints, nodeName: "n1")
        settings.user = [1]
        settings.password = Array("secret".utf8)
        #expect("\(settings)" == "a:6379,[::1]:6379" && String(reflecting: settings) == "a:6379,[::1]:6379")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("115") && !dumped.contains("secret"))
    }
}
