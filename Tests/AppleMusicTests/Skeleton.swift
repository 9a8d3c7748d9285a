import Testing

@testable import AppleMusic

@Suite struct AppleMusicSkeleton { @Test func builds() { #expect(Bool(true)) } }
