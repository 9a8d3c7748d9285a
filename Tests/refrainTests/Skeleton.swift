import Testing

@testable import refrain

@Suite struct RefrainSkeleton { @Test func builds() { #expect(Bool(true)) } }
