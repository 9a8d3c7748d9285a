import Foundation
import Server
import Synchronization
import Testing

@testable import EventLoop
@testable import Simulator

extension ServiceHost {
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
    static func open(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) -> SimulatedAPI {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        change(&configuration)
        return SimulatedAPI(configuration: configuration)
    }

    /// The answer at the latest revision, as JSON values; it is not counted.
    func values(_ target: String) -> NSObject? {
        let body = respond(to: SimulatorRequest(target: Array(target.utf8)), asOf: revision).body
        return try? JSONSerialization.jsonObject(with: Data(body)) as? NSObject
    }

    /// The first ids of a type that the chart of the storefront `us` has.
    func ids(of type: String, _ count: Int) throws -> [String] {
        let chart = try #require(values("/v1/catalog/us/charts?types=\(type)&limit=100") as? [String: Any])
        let charts = try #require((chart["results"] as? [String: Any])?[type] as? [[String: Any]])
        let data = try #require(charts.first?["data"] as? [[String: Any]])
        let ids = Array(data.compactMap { $0["id"] as? String }.prefix(count))
        try #require(ids.count == count)
        return ids
    }
}

/// Passes requests on and remembers them.
final class CountingResponder: Responder {
    typealias Instead = @Sendable (_ target: String, _ isFirst: Bool) -> SimulatorResponse?

    private let api: any Responder
    private let instead: Instead
    /// Targets that are answered with other names than the catalog has, until further notice.
    let misnamed = Mutex<Set<String>>([])
    private let seen = Mutex<[String]>([])

    /// - Parameter instead: an answer in place of the API's, by the target and whether it is asked
    ///   for the first time.
    init(_ api: any Responder, instead: @escaping Instead = { _, _ in nil }) {
        (self.api, self.instead) = (api, instead)
    }

    var targets: [String] { seen.withLock { $0 } }

    func respond(to request: SimulatorRequest) -> SimulatorResponse {
        let target = String(decoding: request.target, as: UTF8.self)
        let isFirst = seen.withLock { seen in
            defer { seen.append(target) }
            return !seen.contains(target)
        }
        var response = instead(target, isFirst) ?? api.respond(to: request)
        guard misnamed.withLock({ $0.contains(target) }) else { return response }
        let body = String(decoding: response.body, as: UTF8.self)
        response.body = Array(body.replacing("\"name\":\"", with: "\"name\":\"Other ").utf8)
        return response
    }
}
