import Testing

@testable import Proxy

@Suite struct ProxySkeleton { @Test func builds() { #expect(Bool(true)) } }
