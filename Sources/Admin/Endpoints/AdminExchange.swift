import EventLoop
import Server

/// An admitted request on its way to its answer.
struct AdminExchange {
    let surface: AdminSurface
    let request: AdminRequest
    let connection: ClientConnection

    /// Unix seconds.
    var now: Int64 { connection.context.unixSeconds }

    func reply(_ reply: AdminReply) {
        connection.send(reply)
    }

    /// For an answer that comes from elsewhere: call it once, from any thread.
    func replyLater() -> @Sendable (AdminReply) -> Void {
        let loop = connection.context.loop
        let (number, confined) = (surface.hold(connection), Confined(surface, to: loop))
        return { @Sendable reply in loop.execute { confined.value.finish(number, reply) } }
    }

    /// Answers late, or not at all: for a wrong token.
    func refuseLater(_ reply: AdminReply) {
        surface.refuseLater(connection, reply)
    }

    /// The parameters of the query; throws where one is not among `known`.
    func parameters(_ known: [String]) throws(AdminRequestError) -> QueryParameters {
        try QueryParameters(request.query, known: known)
    }
}
