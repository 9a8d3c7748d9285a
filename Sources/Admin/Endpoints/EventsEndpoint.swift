import Proxy

// GET /events: server-sent events until the client leaves, for the page and for `refrain tail`.

extension AdminExchange {
    /// `view=1`: the page's figures, of `window`, in place of the counters. `lines`: requests as
    /// the access log would write them and nothing else, those for which all conditions hold.
    func events() throws(AdminRequestError) {
        let facts = RequestCondition.facts.flatMap { [$0.name, "not-" + $0.name] }
        let parameters = try parameters(["view", "window", "lines"] + facts)
        let content = try content(of: parameters)
        guard request.method != .head else {
            return reply(EventStreams.head)
        }
        let pass = connection.withHeadBytes { surface.authorizer.pass(for: connection.head, $0) }
        let isWelcome = { [weak surface, loop = connection.context.loop] in
            surface?.authorizer.isGood(pass, at: loop.now) ?? false
        }
        guard surface.streams.admit(connection, content, isWelcome: isWelcome) else {
            let bound = "\(EventStreams.most), of one address seven eighths"
            return reply(
                .error(503, "Too many event streams are open already (\(bound)), or the proxy is stopping."))
        }
    }

    private func content(
        of parameters: QueryParameters
    ) throws(AdminRequestError) -> (Tails) -> EventStreams.Content {
        let window = try parameters.historyWindow
        let showsView = try parameters.flag("view")
        let conditions = try parameters.conditions
        guard let word = parameters["lines"] else {
            guard conditions.isEmpty else {
                throw AdminRequestError(detail: "lines: expected lines=json or lines=combined beside a condition.")
            }
            return { _ in showsView ? .view(window) : .counters }
        }
        guard let format = ["json": AccessLogFormat.json, "combined": .combined][word], !showsView else {
            throw AdminRequestError(detail: "lines: expected json or combined, without view.")
        }
        return { tails in .lines(tails.begin(conditions, as: format)) }
    }
}

extension QueryParameters {
    /// The conditions about requests; one with `not-` before its name must not hold.
    fileprivate var conditions: [RequestCondition] {
        get throws(AdminRequestError) {
            var conditions: [RequestCondition] = []
            for fact in RequestCondition.facts {
                for prefix in ["", "not-"] {
                    guard let text = self[prefix + fact.name] else { continue }
                    do throws(RequestCondition.Mistake) {
                        conditions.append(try fact.condition(text, isNegated: !prefix.isEmpty))
                    } catch {
                        throw AdminRequestError(detail: "\(prefix + fact.name): \(error.words).")
                    }
                }
            }
            return conditions
        }
    }

    /// The hour where none is given.
    var historyWindow: HistoryWindow {
        get throws(AdminRequestError) {
            guard let text = self["window"] else { return .hour }
            guard let window = HistoryWindow(rawValue: text) else {
                let known = HistoryWindow.allCases.map(\.rawValue).joined(separator: ", ")
                throw AdminRequestError(detail: "window: expected one of \(known).")
            }
            return window
        }
    }
}
