import Testing

@testable import HTTP

@Suite struct HTTPSkeleton { @Test func builds() { #expect(Bool(true)) } }
