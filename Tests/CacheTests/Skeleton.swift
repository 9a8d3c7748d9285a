import Testing

@testable import Cache

@Suite struct CacheSkeleton { @Test func builds() { #expect(Bool(true)) } }
