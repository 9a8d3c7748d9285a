public struct Fault: Sendable {}
