import Testing

@testable import Admin

@Suite struct AdminSkeleton { @Test func builds() { #expect(Bool(true)) } }
