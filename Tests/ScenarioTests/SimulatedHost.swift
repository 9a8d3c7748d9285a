import Server
import Simulator

@testable import EventLoop

extension ServiceHost {
    /// What answers as the simulated API does, on a port of its own.
    static func serving(_ api: any Responder) throws -> ServiceHost {
        try ServiceHost(
            label: "origin", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { context in SimulatorService(api, context: context) }
    }
}

extension SimulatedAPI {
    /// One that wants no credentials.
    static func open(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) -> SimulatedAPI {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        change(&configuration)
        return SimulatedAPI(configuration: configuration)
    }
}
