import Testing

@testable import EventLoop

@Suite struct EventLoopSkeleton { @Test func builds() { #expect(Bool(true)) } }
