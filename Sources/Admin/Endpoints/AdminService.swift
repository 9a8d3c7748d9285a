import Cache
import EventLoop
import HTTP
import Proxy
import Server

/// The operator's surface over HTTP: an authorizer in front of `EndpointTable`.
///
/// Confined to its loop.
public final class AdminService: Service {
    private let surface: AdminSurface

    /// - Parameter context: of the loop whose connections it will serve; made before that loop runs
    ///   anything else.
    public init(_ sources: AdminSources, _ context: LoopContext) {
        surface = AdminSurface(sources, context)
    }

    public func drain() {
        surface.streams.end()
    }

    /// The most content that a request may bring, in bytes: a purge names one target at most.
    static let maxContentBytes = 64 << 10

    /// Admits a request by its head, before any content of a stranger is kept, or refuses it.
    public func admits(_ connection: ClientConnection) -> Bool {
        let request = AdminRequest(connection)
        return isAdmitted(request, EndpointTable.row(of: request.path), connection)
    }

    public func handle(_ connection: ClientConnection) {
        let request = AdminRequest(connection)
        let row = EndpointTable.row(of: request.path)
        guard connection.isAdmitted || isAdmitted(request, row, connection), let row else { return }
        guard connection.body.count <= Self.maxContentBytes else {
            return connection.send(.error(413, "The content is too large: \(Self.maxContentBytes) bytes at most."))
        }
        let exchange = AdminExchange(surface: surface, request: request, connection: connection)
        do throws(AdminRequestError) {
            try row.answer(exchange)()
        } catch {
            exchange.reply(.error(400, error.detail))
        }
    }

    /// Asks the authorizer, once for each request, and answers one that is refused.
    private func isAdmitted(
        _ request: AdminRequest, _ row: EndpointTable.Row?, _ connection: ClientConnection
    ) -> Bool {
        let entry = connection.withHeadBytes { bytes in
            surface.authorizer.entry(for: connection.head, bytes, at: connection.context.loop.now)
        }
        if case .wrongToken = entry {
            surface.refuseLater(connection, .unauthorized(.wrongToken))
            return false
        }
        // Asked of the kernel once: the connection may be closed meanwhile.
        var owner: PeerOwner?
        let refusal = surface.authorizer.refusal(of: request, to: row?.endpoint, entry) {
            let asked = PeerOwner(connection.peer)
            owner = asked
            return asked
        }
        guard refusal == nil, row != nil else {
            let reply = refusal ?? EndpointTable.notFound
            surface.note(reply, owner?.words, connection)
            connection.send(reply)
            return false
        }
        return true
    }
}
