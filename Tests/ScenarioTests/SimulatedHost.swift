import Server
import Simulator

@testable import EventLoop

extension ServiceHost {
    /// A service on a port of its own.
    static func local(_ service: (LoopContext) -> any Service) throws(SystemError) -> ServiceHost {
        let listener = ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        return try ServiceHost(label: "origin", listener: listener, service)
    }

    /// A server that answers as the simulated API does, on a port of its own.
    static func serving(_ api: any Responder) throws -> ServiceHost {
        try local { context in SimulatorService(api, context: context) }
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
