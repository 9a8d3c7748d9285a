import Cache
import EventLoop
import Proxy
import Purging
import Store
import Text

// GET /: the page, complete as it is.

extension AdminExchange {
    /// The page; with `explain` it explains a request for that URL, with `still` it stays as it is
    /// where there is no script, and `window` is how far back its chart goes.
    func dashboard() throws(AdminRequestError) {
        let parameters = try parameters(["explain", "still", "window"])
        var page = DashboardMarkup(
            isStill: parameters["explain"] != nil || parameters["still"] != nil,
            hasToken: surface.authorizer.hasToken)
        page.window = try parameters.historyWindow
        let finish = replyLater()
        guard let url = parameters["explain"], !url.isEmpty else { return surface.show(page, finish) }
        page.explained = url
        do throws(AdminRequestError) {
            let hypothetical = HypotheticalRequest(
                target: try EntrySelection.target(of: url), method: .get, carriesUserToken: false)
            let (here, asked) = (Confined(surface, to: connection.context.loop), page)
            explain(hypothetical) { @Sendable explanation in
                // Without the connection: its last reference could end on the loop that explains.
                here.execute { surface in
                    var page = asked
                    page.explanation = explanation
                    page.problem = explanation == nil ? "The proxy is not running now." : ""
                    surface.show(page, finish)
                }
            }
        } catch {
            page.problem = error.detail
            surface.show(page, finish)
        }
    }
}

extension AdminSurface {
    fileprivate func show(_ page: DashboardMarkup, _ finish: @escaping @Sendable (AdminReply) -> Void) {
        timeline.observe { moment in
            guard let dashboard = DashboardPage.standard else {
                return finish(.error(500, "The page cannot be generated: libcrypto provides no digests."))
            }
            let html = dashboard.html(
                DashboardView(moment, page.window), markup: page.places(at: moment.unixSeconds))
            var reply = AdminReply(type: "text/html; charset=utf-8", content: html)
            reply.contentPolicy = dashboard.contentPolicy
            // Under no-referrer a browser says that a form comes from nowhere.
            reply.referrerPolicy = "same-origin"
            finish(reply)
        }
    }
}

/// The page's input beside the view: the request's parameters.
struct DashboardMarkup: Sendable {
    /// Whether it was asked for with a query, and so is to stay as it is.
    let isStill: Bool
    let hasToken: Bool
    /// How far back its chart goes.
    var window = HistoryWindow.hour
    /// The URL to explain, as it came.
    var explained = ""
    var explanation: JSON?
    var problem = ""

    /// By the places of `page.html`.
    func places(at unixSeconds: Int64) -> [String: String] {
        [
            "time": Figure.timeOfDay(unixSeconds),
            "refresh": isStill ? "" : "<meta http-equiv=\"refresh\" content=\"5\">",
            "hold": isStill
                ? "<p class=note><a href=\"/\">Resume automatic reloading</a></p>"
                : "<p class=note>The page reloads every five seconds; <a href=\"/?still=1#explain\">pause it</a> to "
                    + "type.</p>",
            "logout": hasToken ? "<form method=post action=\"/logout\"><button>Log out</button></form>" : "",
            "explain-url": Markup.escaped(explained),
            "explain-error": Markup.escaped(problem),
            "explanation": DashboardView.markup(DashboardView.rows(of: explanation)),
        ]
    }
}
