import Freshness
import Upstream

/// Counts the origin's failures, and tells the operator: in the log, and on the dashboard.
struct OriginTroubles {
    private let base: LoopBase
    private let reports: FailureReport
    private let warn: @Sendable (String) -> Void

    init(_ settings: ServiceSettings, _ shared: SharedStores, _ base: LoopBase) {
        (self.base, reports, warn) = (base, shared.failures, settings.warn)
    }

    /// Notes a failure for the dashboard, and logs it unless that kind is in a quiet period.
    /// - Parameter detail: follows the cause in the log alone; made only for a line.
    func tell(_ cause: String, _ kind: FailureReport.Kind, detail: @autoclosure () -> String = "") {
        base.statistics.upstream.note(
            cause, at: base.unixSeconds,
            isOfOrigin: kind == .failure || kind == .incomplete || kind == .rate)
        report(cause, kind, detail: detail())
    }

    private func report(_ cause: String, _ kind: FailureReport.Kind, detail: @autoclosure () -> String = "") {
        if let line = reports.line(cause, kind, detail: detail(), at: base.now) { warn(line) }
    }

    /// Counts a request to the origin that brought no answer, unless it was not sent at all.
    func note(_ failure: UpstreamFailure) {
        if !failure.reason.isOfTheProxy { noteFailure("\(failure)") }
    }

    /// Counts an answer that is of no use, and tells the operator why.
    func noteFailure(_ cause: String) {
        base.statistics.count(.upstreamErrors)
        tell(cause, .failure)
    }

    /// Counts an answer that is not stored for something that the origin sent with it, and tells
    /// the operator once for each route and cause: nothing else shows that caching has ended there.
    ///
    /// Paths outside the API are left out: under the origin's own rules much of them is not stored.
    func noteUncacheable(_ response: UpstreamResponse, _ reason: Reason, _ request: OriginRequest) {
        let route = request.facts.route
        guard response.status == 200, reason.causeOfOrigin != nil, route.resourceClass != .other else { return }
        base.statistics.count(.uncacheable)
        if let line = reports.line(uncacheable: reason, route.template) { warn(line) }
    }

    /// Counts a refresh that the origin refused with a 4xx, and tells the operator, unless the
    /// status is one that is reported wherever it comes.
    func noteRefusedRefresh(_ status: Int, _ meaning: ErrorMeaning, _ request: OriginRequest) {
        base.statistics.count(.refreshRefused)
        guard ![401, 403, 429].contains(status) else { return }
        let cause =
            switch meaning {
            case .absence, .request: "the request"
            case .credentials: "credentials"
            case .moment: "the moment"
            }
        report(
            "answers \(status) to a refresh of \(request.facts.route.template), about \(cause); "
                + "the stored answer is served until its stale time ends", .refresh)
    }

    /// Counts an answer that contradicts a learnt form, and tells the operator.
    func noteContradiction(_ how: String, _ request: OriginRequest) {
        base.statistics.count(.contradictions)
        report(
            "answers \(request.facts.route.template) \(how); forms that contradict the answer are suspended",
            .contradiction)
    }

    /// Counts a composed answer that was wrong, and tells the operator, on the dashboard too.
    func noteWrongAnswer(_ cause: String) {
        base.statistics.count(.contradictions)
        tell(cause, .wrongAnswer)
    }
}
