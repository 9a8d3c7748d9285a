import HTTP

@testable import Freshness

/// A fixed moment, so that no test depends on the clock.
let noon: Int64 = 1_800_000_000

func date(_ seconds: Int64) -> String { HTTPDate.text(seconds) }

/// A stored answer without a store, of ten bytes, that came at noon.
struct Answer: ReusableAnswer {
    var status = 200
    var head: [UInt8] = []
    var validators: Validators { Validators(head.span) }
    var bodyCount: Int { 10 }
    var receivedAt = noon
    var lifetime = Lifetime(freshFor: 100)
    var fields: ArraySlice<UInt8> { head[...] }

    init(_ lifetime: Lifetime, at receivedAt: Int64 = noon) {
        (self.lifetime, self.receivedAt) = (lifetime, receivedAt)
    }

    init(lines: [UInt8]) { head = lines }

    init(_ fields: [String] = [], status: Int = 200) {
        head = Array(fields.map { $0 + "\r\n" }.joined().utf8)
        self.status = status
    }
}

extension StoreDecision {
    var lifetime: Lifetime? { if case .store(let lifetime) = self { lifetime } else { nil } }
}
