import AppleMusic
import Cache
import Compose
import Freshness
import HTTP
import Proxy
import Purging
import Store
import Text

// GET /explain: how a request would be answered. The proxy decides; here it is put into words.

extension AdminExchange {
    func explain() throws(AdminRequestError) {
        let parameters = try parameters(["url", "method", "user"])
        let hypothetical = try HypotheticalRequest(parameters)
        let finish = replyLater()
        explain(hypothetical) { @Sendable explanation in
            finish(explanation.map { .json($0) } ?? .error(503, "The proxy is not running now."))
        }
    }

    /// The explanation in words; nil where there is no proxy to ask.
    func explain(_ request: HypotheticalRequest, _ completion: @escaping @Sendable (JSON?) -> Void) {
        let (sources, now) = (surface.sources, now)
        var target = CanonicalTarget()
        try? target.parse(request.target.span)
        let kept = target.route.isPersonal ? sources.cache.sums(of: target.route, at: now) : .null
        sources.explain(request) { completion($0?.json(keptForUsers: kept)) }
    }
}

extension ResponseCache {
    /// Sums over all users' stored answers of one route; no single answer is shown.
    func sums(of route: Route, at now: Int64) -> JSON {
        var target = CanonicalTarget()
        let sums = personalSums(at: now) { key in
            try? target.parse(key.span)
            return target.route.templateNumber == route.templateNumber
        }
        return [
            "answers": .integer(sums.answers), "bytes": .integer(sums.bytes), "fresh": .integer(sums.fresh),
            "newest_age": sums.newestAge.map(JSON.integer) ?? .null,
            "oldest_age": sums.oldestAge.map(JSON.integer) ?? .null,
        ]
    }
}

extension HypotheticalRequest {
    /// Reads `url`, `method` and `user`.
    init(_ parameters: QueryParameters) throws(AdminRequestError) {
        guard let url = parameters["url"] else {
            throw AdminRequestError(detail: "url: expected a URL or a path with its query.")
        }
        guard let method = Self.method(named: parameters["method"] ?? "GET") else {
            let names = Self.methodNames.joined(separator: ", ")
            throw AdminRequestError(detail: "method: expected one of \(names).")
        }
        self.init(
            target: try EntrySelection.target(of: url), method: method, carriesUserToken: try parameters.flag("user"))
    }
}

extension Explanation {
    fileprivate func json(keptForUsers: JSON) -> JSON {
        [
            "plan": .string(action.rawValue), "reason": reason.map { .string($0.text) } ?? .null,
            "why": .string(sentence), "target": .string(target), "route": .string("\(route.template)"),
            "class": .string(route.resourceClass.name),
            "scope": .string(route.isPersonal || scope == nil ? "personal" : "shared"),
            "storefront": route.storefront.map { .string($0.text) } ?? .null, "rule": .string(rule.text),
            "stored": stored.map { .object($0.summary(at: now, isInMemory: isInMemory)) } ?? .null,
            "kept_for_users": keptForUsers, "last_answer": lastAnswer.map { $0.json(at: now) } ?? .null,
            "selecting_fields": .array(selectingFields.map { .string($0) }),
            "composing": composing.map(\.json) ?? .null, "not_composed": refusal.map(\.json) ?? .null,
            "asks_origin": .string(asksOrigin.rawValue), "asks_tier": .bool(asksTier),
            "waits_for_another": .bool(waitsForAnother), "needs_client_key": .bool(needsClientKey),
        ]
    }

    private var stale: String { isMadeStale ? "was made stale by a purge or a HEAD" : "is stale" }

    /// Why, in plain English.
    var sentence: String {
        switch action {
        case .hit:
            if let reason { return "A fresh answer composed from others is stored (\(reason.text))." }
            return "A fresh answer is stored."
        case .compose: return "No fresh answer is stored, but it can be composed from other stored answers."
        case .complete:
            return composing?.fetchesMore == true
                ? "One larger request is sent; this answer and later similar ones are cut from it."
                : "A part of the answer is stored; one smaller request fetches the rest."
        case .verify:
            return "The answer could be composed; with compose verify the origin is asked anyway and both are compared."
        case .stale:
            return "The stored answer \(stale): it is served, and a new one is fetched in the background."
        case .personal: return "The answer is personal; stored personal answers are shown only as counts by route."
        case .refuse: return "Refrain answers the request with its own error."
        case .fetch where reason == .stale && isMadeStale:
            return "The stored answer \(stale) and must be confirmed by the origin before it is served."
        case .fetch, .pass: return reason.flatMap(\.sentence) ?? "The request is sent to the origin."
        }
    }
}

extension LastAnswer {
    fileprivate func json(at now: Int64) -> JSON {
        [
            "status": status.map(JSON.integer) ?? .null, "reason": .string(reason.text),
            "age": .integer(max(0, Int(now - unixSeconds))),
        ]
    }
}

extension StoredResponse {
    fileprivate func summary(at now: Int64, isInMemory: Bool) -> JSONObject {
        var object = JSONObject()
        object.append("status", .integer(status))
        object.append(lifetime, receivedAt: receivedAt, at: now)
        object.append("bytes", .integer(fields.count + body.count))
        object.append("tier", .string(isInMemory ? "memory" : "file"))
        object.append("composed", composition.map { .string($0.detail.text) } ?? .null)
        return object
    }
}

extension Explanation.Composing {
    fileprivate var json: JSON {
        [
            "kind": kind.map { .string($0.text) } ?? .null, "parts": .array(parts.map { .string($0) }),
            "supplement": supplement.map { .string($0) } ?? .null,
        ]
    }
}

extension Refusal {
    fileprivate var json: JSON {
        ["rule": .string(rule.word), "reason": .string(reason.word), "why": .string(sentence)]
    }
}

extension TTLRule {
    /// The rule's text in a `ttl` line.
    fileprivate var text: String {
        switch self {
        case .off: "off"
        case .origin(let stale): "upstream" + Self.text(stale: stale)
        case .fixed(let seconds, let stale): Self.duration(seconds) + Self.text(stale: stale)
        }
    }

    private static func text(stale seconds: Int) -> String { seconds > 0 ? " stale " + duration(seconds) : "" }

    /// In the largest unit in which it is a whole number.
    private static func duration(_ seconds: Int) -> String {
        for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60)] where seconds > 0 && seconds % length == 0 {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }
}
