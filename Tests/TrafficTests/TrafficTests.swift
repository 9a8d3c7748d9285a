import Testing

@testable import Traffic
