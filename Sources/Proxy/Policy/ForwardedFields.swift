import HTTP

/// The client's end-to-end fields that go along to the origin, as lines.
///
/// To the API a list of those that it needs. Elsewhere all but the fields of one connection,
/// everything that `Connection` names, credentials, cookies and a gateway's fields (RFC 9110
/// 7.6.1, FRAMING 3.4).
struct ForwardedFields {
    /// Which of the client's fields go along: no client's fields may shape an answer that others
    /// get.
    enum Subset {
        /// None: the answer is stored under the operator's rule.
        case none
        /// Fields except those that ask for less than the whole: the answer may be stored under the
        /// origin's own rules.
        case impersonal
        /// Every field: the answer is this client's alone.
        case all
    }

    let subset: Subset
    /// Whether those go along by which the request is followed through several programs: not where
    /// the client does not wait for the answer.
    let isTraced: Bool
    /// Whether only those go along that the API needs: to its own paths, and with each write.
    var isForAPI = true
    /// Further ones that the operator names, as `GatewayFields` spells them.
    var permitted: [[UInt8]] = []

    private static let ownAgent = "User-Agent: refrain\r\n".utf8
    /// Sent where none of the client's fields go along.
    static let ownLines = Array("Accept: */*\r\n".utf8) + ownAgent
    /// Bytes of a `tracestate`; vendors must propagate that much (W3C Trace Context 3.3.1.5).
    private static let mostTraceState = 512

    /// The fields that go along, but for the trace.
    func lines(of head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8] {
        guard subset != .none else { return Self.ownLines }
        var lines: [UInt8] = []
        var namesAgent = !isForAPI
        for field in head.fields where goesAlong(field, head, bytes) {
            append(field, bytes, to: &lines)
            if field.id == .userAgent { namesAgent = true }
        }
        if !namesAgent { lines += Self.ownAgent }
        return lines
    }

    /// The fields by which an answer may vary: all that go along.
    func selectingLines(of head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8] {
        var lines = lines(of: head, bytes)
        lines += trace(of: head, bytes)
        return lines
    }

    /// A valid `traceparent` and one `tracestate`. They shape no answer.
    func trace(of head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8] {
        isTraced ? traceLines(head.fields, bytes) : []
    }

    private func goesAlong(_ field: Field, _ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        if Self.isOwn(field.id) || subset == .impersonal && Self.shapesOneAnswer(field.id) { return false }
        if head.connection.names(field.name, bytes) { return false }
        if isForAPI ? Self.isOfAPI(field.id) : !isGateways(field, bytes) { return true }
        return GatewayFields.isSpelt(bytes.extracting(field.name.range), asOneOf: permitted)
    }

    private func isGateways(_ field: Field, _ bytes: Span<UInt8>) -> Bool {
        switch field.id {
        case .other, .forwarded, .xForwardedFor: GatewayFields.contain(bytes.extracting(field.name.range))
        default: false
        }
    }

    private func append(_ field: Field, _ bytes: Span<UInt8>, to lines: inout [UInt8]) {
        lines.append(bytes.extracting(field.name.range))
        lines.append(contentsOf: ": ".utf8)
        lines.append(bytes.extracting(field.value.range))
        lines.append(contentsOf: "\r\n".utf8)
    }

    private func traceLines(_ fields: Fields, _ bytes: Span<UInt8>) -> [UInt8] {
        guard let parent = fields.first(.traceparent), fields.count(.traceparent) == 1,
            TraceContext.traceID(bytes, parent.value.range) != nil
        else { return [] }
        var lines: [UInt8] = []
        append(parent, bytes, to: &lines)
        if let state = fields.first(.tracestate), fields.count(.tracestate) == 1,
            state.value.range.count <= Self.mostTraceState
        {
            append(state, bytes, to: &lines)
        }
        return lines
    }

    /// Fields of which the API makes something: the form of content and answer, conditions, ranges,
    /// and what caches on the way must pass on (RFC 9111 5.2). Nothing in them says who asks.
    private static func isOfAPI(_ id: FieldName) -> Bool {
        switch id {
        case .accept, .contentType, .contentEncoding, .cacheControl: true
        default: shapesOneAnswer(id)
        }
    }

    /// Fields that ask for less than the whole answer: the whole one is stored, and the client's
    /// conditions and ranges are answered from that.
    private static func shapesOneAnswer(_ id: FieldName) -> Bool {
        switch id {
        case .range, .ifRange, .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince: true
        default: false
        }
    }

    /// Fields that describe one connection, are rewritten by the proxy, or carry credentials (RFC
    /// 9110 7.6.1). Of cookies the user's token alone goes along (`ForwardedRequest`).
    static func isOwn(_ id: FieldName) -> Bool {
        switch id {
        case .host, .expect, .authorization, .musicUserToken, .cookie, .acceptEncoding, .origin, .xRefrainKey, .via,
            .traceparent, .tracestate:
            true
        default: id.isHopByHop
        }
    }
}
