import AppleMusic
import Cache
import Freshness
import HTTP
import Server

// Answers with what is stored, and with errors of the proxy's own.

extension ProxyLoop {
    /// Answers with what is stored.
    ///
    /// - Parameters:
    ///   - template: written to the log in place of a private target.
    ///   - upstreamTime: how long the origin took, where it was asked.
    ///   - known: what was concluded from the request before, where that is at hand.
    func serve(
        _ stored: StoredResponse, _ status: CacheStatus, template: StaticString?, upstreamTime: Duration? = nil,
        known: RequestConclusion? = nil, to connection: ClientConnection
    ) {
        let coding = coding(of: stored, for: connection)
        // Asked for once: what crosses to another module is counted as a reference each time.
        let head = connection.head
        let form = connection.withHeadBytes { bytes in AnswerForm.of(stored, for: head.method, head.fields, bytes) }
        guard form != .unsatisfiable else {
            return refuse(
                connection, AppleError(status: 416, detail: "The stored answer has no such bytes."),
                key: stored.key, template: template, upstreamTime: upstreamTime, status: status
            ) { stored.appendContentRange(to: &$0) }
        }
        if stored.awaitsUse, head.method == .get, stored.noteUse() { noteUse(ofSuperset: stored) }
        let content = form.content(of: stored, coding)
        let age = stored.age(at: context.unixSeconds)
        observer.record(
            AnsweredRequest(
                status: form.status(of: stored),
                contentLength: AnsweredRequest.contentLength(content.count, to: head.method), cacheStatus: status,
                key: stored.key, template: template, upstreamTime: upstreamTime),
            stored, form, coding, age: age, known, on: connection)
        let mayBeFile = form == .whole && coding == .identity && head.method == .get && connection.sendsFiles
        let file = mayBeFile ? shared.sealedBodies.file(of: stored) : nil
        connection.respond(content: content, file: file, writesDate: !stored.hasDate) { buffer in
            stored.appendHead(form, coding, to: &buffer)
            buffer.append("Age: ")
            buffer.append(decimal: age)
            buffer.append("\r\n")
            status.write(to: &buffer)
            connection.withHeadBytes { shared.crossOrigin.write(for: head, $0, to: &buffer) }
        }
    }

    /// Credits a superset that a client uses itself.
    @inline(never)
    private func noteUse(ofSuperset stored: StoredResponse) {
        shared.library.growth.note(useOf: Array(stored.key.target))
    }

    func writeCrossOrigin(_ connection: ClientConnection, to buffer: inout ByteBuffer) {
        connection.withHeadBytes { bytes in
            shared.crossOrigin.write(for: connection.head, bytes, to: &buffer)
        }
    }

    /// Answers with an error of the proxy's own.
    ///
    /// - Parameters:
    ///   - key: under which an answer would be; nil where the request names none.
    ///   - template: written to the log in place of the target; a target that is malformed or
    ///     private is not repeated there.
    ///   - retryAfter: seconds, where another try is worth while by then.
    ///   - upstreamTime: how long the origin took, where it was asked.
    ///   - status: what `Cache-Status` says when the cache was asked.
    ///   - fields: further fields.
    func refuse(
        _ connection: ClientConnection, _ error: AppleError, key: CacheKey? = nil, template: StaticString? = "-",
        retryAfter: Int? = nil, upstreamTime: Duration? = nil, status: CacheStatus? = nil,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        let content = error.content
        observer.record(
            AnsweredRequest(
                status: error.status,
                contentLength: AnsweredRequest.contentLength(content.count, to: connection.head.method),
                cacheStatus: status, key: key, template: template, upstreamTime: upstreamTime),
            .passed(fields: AppleError.fields(retryAfter: retryAfter), content: content), on: connection)
        connection.respond(content: content) { buffer in
            AppleError.writeHead(status: error.status, contentLength: content.count, to: &buffer)
            if error.status == 401 { buffer.append("WWW-Authenticate: Bearer realm=\"refrain\"\r\n") }
            if error.status == 405 { buffer.append("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n") }
            if let retryAfter {
                buffer.append("Retry-After: ")
                buffer.append(decimal: retryAfter)
                buffer.append("\r\n")
            }
            fields(&buffer)
            status?.write(to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    func answerPreflight(_ connection: ClientConnection) {
        let refusal = connection.withHeadBytes { bytes in
            shared.crossOrigin.preflightRefusal(of: connection.head, bytes, allowing: shared.pageFields)
        }
        let path = connection.withHeadBytes { Self.loggedPath($0.extracting(connection.head.target.range)) }
        observer.recordPreflight(path, refusal, on: connection)
        connection.respond(content: []) { buffer in
            CrossOrigin.writePreflight(allowing: shared.pageFields, to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }

    /// The canonical path of a target that everyone may know, the route of another one, and `-`
    /// where it is malformed.
    private static func loggedPath(_ bytes: Span<UInt8>) -> [UInt8] {
        var target = CanonicalTarget()
        guard (try? target.parse(bytes)) != nil else { return [UInt8(ascii: "-")] }
        guard target.route.isShared else { return target.route.template.withUTF8Buffer { Array($0) } }
        return Array(target.bytes.prefix { $0 != UInt8(ascii: "?") })
    }
}

// MARK: - Codings

extension ProxyLoop {
    /// Whether the answer goes through in gzip: not where its content is to be read here.
    func passesGzip(_ request: OriginRequest) -> Bool {
        request.forwarded.passesGzip && !observer.traffic.isOn && !shared.library.settings.completesNext
    }

    /// The coding of the form that `connection`'s client gets. An answer that has no gzip form and
    /// is wanted in it is compressed after this one is sent, for those who come next.
    @inline(__always)
    private func coding(of stored: StoredResponse, for connection: ClientConnection) -> ContentCoding {
        guard stored.gzip != nil || stored.mayBecomeCoded, connection.preferredCoding == .gzip else { return .identity }
        guard stored.gzip == nil else { return .gzip }
        if stored.noteCodingRequest() { compress(stored) }
        return .identity
    }

    /// Only what everyone shares under an operator's TTL: what follows the origin's rules goes out
    /// as it came in.
    private func compress(_ stored: StoredResponse) {
        guard shared.gzip.isAvailable, !stored.key.isPersonal,
            let resourceClass = ResourceClass(rawValue: stored.classTag), !shared.policy[resourceClass].followsOrigin
        else { return }
        shared.compressions.compress(stored, for: cache, by: shared.gzip)
    }
}

extension ClientConnection {
    /// The coding that the request asks for; worked out once for requests that come again.
    fileprivate var preferredCoding: ContentCoding {
        repeated?.preferredCoding ?? withHeadBytes { ContentCoding.preferred(by: head.fields, $0) }
    }
}
