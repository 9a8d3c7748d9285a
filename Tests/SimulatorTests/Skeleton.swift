import Testing

@testable import Simulator

@Suite struct SimulatorSkeleton { @Test func builds() { #expect(Bool(true)) } }
