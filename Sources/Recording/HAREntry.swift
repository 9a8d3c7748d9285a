import Text

/// An entry of a HAR file, as an exchange.
enum HAREntry {
    /// Why an entry is no exchange of a recording, or one without its body; the raw value follows
    /// "3 requests" or "1 body".
    enum LeftOut: String, CaseIterable {
        case isForeign = "not to the API (a path that begins with /v1/)"
        case isUnanswered = "without an answer: blocked, cancelled or failed"
        case isFromOwnCache = "answered out of the browser's own cache"
        case isTwice = "found twice in the file"
        case isUnreadable = "with a target that cannot be read"
        case hasLongBody = "of more than 8 MiB"

        func words(_ count: Int) -> String {
            let nouns = self == .hasLongBody ? ("body", "bodies") : ("request", "requests")
            return "\(count) \(count == 1 ? nouns.0 : nouns.1) \(rawValue)"
        }
    }

    enum Reading {
        /// An exchange, its offset below zero if the file has none. A personal one has no body.
        case exchange(RecordedExchange, body: [UInt8]?)
        case leftOut(LeftOut)
    }

    static func read(_ entry: JSON) throws(LineProblem) -> Reading {
        guard let request = entry["request"], request.objectValue != nil else {
            throw LineProblem("request is not an object")
        }
        guard let url = request["url"]?.stringValue else { throw LineProblem("request.url is not text") }
        guard let written = target(ofURL: url), isOfTheAPI(written) else { return .leftOut(.isForeign) }
        guard let target = RecordedTarget.redacted(text: written) else {
            throw LineProblem(
                RecordedTarget.isTooLong(text: written)
                    ? "request.url is \(RecordedExchange.tooLong)" : "request.url has a path that no request can have")
        }
        guard let method = request["method"]?.stringValue, RecordedField.isName(method) else {
            throw LineProblem("request.method is not a method such as GET")
        }
        guard let response = entry["response"], response.objectValue != nil, response["status"] != .null else {
            return .leftOut(.isUnanswered)
        }
        guard let status = response["status"]?.intValue, status == 0 || (100...599).contains(status) else {
            throw LineProblem("response.status is not between 100 and 599")
        }
        // A recording of our own has a 0 where the client left, and that is part of the traffic.
        if status == 0 && entry["_refrain"] == nil { return .leftOut(.isUnanswered) }
        if isFromOwnCache(entry) { return .leftOut(.isFromOwnCache) }
        let body = try content(of: response, status) ?? (method == "HEAD" ? [] : nil)
        let length = if let body { body.count } else { try length(of: response) }
        var exchange = RecordedExchange(
            time: try time(entry), offset: .seconds(-1), method: method, target: target, status: status,
            latency: try latency(entry), length: length)
        exchange.requestFields = try fields(request["headers"], "request.headers", RecordedFields.ofRequests)
        exchange.fields = try fields(response["headers"], "response.headers", RecordedFields.ofAnswers)
        try addOwn(entry["_refrain"], to: &exchange)
        guard let exchange = exchange.withoutPersonalParts(tellsWhoAsks: Self.tellsWhoAsks(request)) else {
            return .leftOut(.isUnreadable)
        }
        return .exchange(exchange, body: exchange.isPersonal ? nil : body)
    }

    // MARK: - The request

    /// Path and query of an address, without host and fragment; nil for another scheme than http or
    /// https.
    static func target(ofURL url: String) -> String? {
        var rest = url[...]
        if url.utf8.first != UInt8(ascii: "/") {
            guard let scheme = ["https://", "http://"].first(where: { url.lowercased().hasPrefix($0) }) else {
                return nil
            }
            rest = rest.dropFirst(scheme.count)
            rest = rest[(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)...]
        }
        return String(rest.prefix { $0 != "#" })
    }

    /// A browser's file has the requests to all the hosts of a page. The API is told by its paths,
    /// since a proxy in front of it may have any name.
    private static func isOfTheAPI(_ target: String) -> Bool {
        let version = target.utf8.dropFirst(2).prefix { $0 >= 0x30 && $0 <= 0x39 }
        return target.hasPrefix("/v") && !version.isEmpty
            && target.utf8[version.endIndex...].first == UInt8(ascii: "/")
    }

    private static func fields(
        _ value: JSON?, _ name: String, _ list: Set<String>
    ) throws(LineProblem) -> [RecordedField] {
        guard let value, value != .null else { return [] }
        guard let elements = value.arrayValue else { throw LineProblem("\(name) is not a list") }
        var fields: [RecordedField] = []
        for element in elements {
            guard let name = element["name"]?.stringValue, let text = element["value"]?.stringValue else {
                throw LineProblem("\(name) has an element without name and value")
            }
            // Browsers join fields of one name by line ends. In a request they stay an error:
            // requests are sent again.
            let values = list == RecordedFields.ofAnswers ? text.split(separator: "\n").map(String.init) : [text]
            for value in values {
                if let field = try RecordedFields.kept(name, value, of: list) { fields.append(field) }
            }
        }
        return fields
    }

    private static func tellsWhoAsks(_ request: JSON) -> Bool {
        let names = (request["headers"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue?.lowercased() }
        return names.contains(where: RecordedFields.tellingWhoAsks.contains)
            || request["cookies"]?.arrayValue?.isEmpty == false
    }

    // MARK: - When

    private static func time(_ entry: JSON) throws(LineProblem) -> Timestamp {
        guard let time = entry["startedDateTime"]?.stringValue.flatMap(Timestamp.init(_:)) else {
            throw LineProblem("startedDateTime is not a time such as 2026-11-21T00:00:00.000Z")
        }
        return time
    }

    /// `time`, else the sum of `timings`; in both, -1 means unknown.
    private static func latency(_ entry: JSON) throws(LineProblem) -> Duration {
        if let whole = try milliseconds(entry["time"], "time") { return whole }
        var sum = Duration.zero
        // `ssl` is a part of `connect`.
        for name in ["blocked", "dns", "connect", "send", "wait", "receive"] {
            sum += try milliseconds(entry["timings"]?[name], "timings.\(name)") ?? .zero
        }
        return sum
    }

    private static func milliseconds(_ value: JSON?, _ name: String) throws(LineProblem) -> Duration? {
        guard let value, value != .null else { return nil }
        guard case .number(let text) = value else { throw LineProblem("\(name) is not a number of milliseconds") }
        if text.utf8.first == UInt8(ascii: "-") { return nil }
        guard let span = Duration(decimalSeconds: text) else {
            throw LineProblem("\(name) is more than a billion milliseconds")
        }
        // In whole nanoseconds.
        let (seconds, attoseconds) = (span / 1000).components
        return .seconds(seconds) + .nanoseconds(attoseconds / 1_000_000_000)
    }

    // MARK: - The content

    /// Chrome names the cache in `_fromCache`; Safari names what answered in `_fetchType`.
    private static func isFromOwnCache(_ entry: JSON) -> Bool {
        if let cache = entry["_fromCache"], cache != .null { return true }
        guard let source = entry["_fetchType"]?.stringValue else { return false }
        return source != "Network Load"
    }

    /// The decoded content; nil where the file lacks it: it was too large for the file's writer, is
    /// in another file, or was left out. Only a size of 0 says that there was none.
    private static func content(of response: JSON, _ status: Int) throws(LineProblem) -> [UInt8]? {
        // A browser puts content of its own cache into a 304.
        guard status != 304, status != 204 else { return [] }
        let content = response["content"]
        guard let text = content?["text"], text != .null, text != "" else {
            return content?["size"]?.intValue == 0 && (content?["text"] == "" || declaredLength(of: response) == nil)
                ? [] : nil
        }
        guard let text = text.stringValue else { throw LineProblem("response.content.text is not text") }
        switch content?["encoding"] {
        case nil, .null, "": return Array(text.utf8)
        case "base64":
            guard let bytes = Base64.standard.decode(Array(text.utf8).span) else {
                throw LineProblem("response.content.text is not base64")
            }
            return bytes
        default: throw LineProblem("response.content.encoding is not base64, the only supported one")
        }
    }

    /// The length of a body that the file does not have; nil where it does not say.
    private static func length(of response: JSON) throws(LineProblem) -> Int? {
        guard let count = declaredLength(of: response) else { return nil }
        guard count <= RecordedExchange.mostBytes else {
            throw LineProblem("the size of the content is not a valid size")
        }
        return count
    }

    /// By the size of the content, else by its size on the wire, else by `Content-Length`; nil
    /// where all are 0, negative or missing.
    private static func declaredLength(of response: JSON) -> Int? {
        let sizes = [response["content"]?["size"], response["bodySize"]].map { $0?.intValue }
        let field = response["headers"]?.arrayValue?.first {
            $0["name"]?.stringValue?.lowercased() == "content-length"
        }
        return (sizes + [field?["value"]?.stringValue.flatMap { Int($0) }]).lazy.compactMap { $0 }.first { $0 > 0 }
    }

    /// Reads members that HAR does not have; names that begin with `_` are free.
    private static func addOwn(_ own: JSON?, to exchange: inout RecordedExchange) throws(LineProblem) {
        guard let own, own.objectValue != nil else { return }
        if let offset = try RecordedExchange.seconds(own, "offset") { exchange.offset = offset }
        exchange.upstreamLatency = try RecordedExchange.seconds(own, "upstream_seconds")
        if let length = own["bytes"]?.intValue, (0...RecordedExchange.mostBytes).contains(length) {
            // The gzip form was shorter than the content.
            exchange.length = length
        }
        exchange.outcome = own["outcome"]?.stringValue
        exchange.reason = own["reason"]?.stringValue
        // Its target is a route already, which a path with braces would not lead to again.
        exchange.isPersonal = own["personal"] == .bool(true)
    }
}
