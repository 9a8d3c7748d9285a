import AppleMusic
import Cache
import Compose
import Freshness
import HTTP
import Server

/// Answers with stored answers, and with errors of the proxy's own.
final class Answering {
    private let policy: Policy
    private let crossOrigin: CrossOrigin
    private let pageFields: PageFields
    private let gzip: Gzip
    private let sealedBodies: SealedBodies
    private let compressions: Compressions
    private let library: ResourceLibrary
    private let observer: RequestObserver
    private let accounts: Accounts
    private let base: LoopBase

    init(
        _ settings: ServiceSettings, _ shared: SharedStores, observer: RequestObserver, accounts: Accounts,
        base: LoopBase
    ) {
        (policy, crossOrigin, pageFields) = (settings.policy, settings.crossOrigin, settings.pageFields)
        (gzip, sealedBodies, compressions) = (settings.gzip, shared.sealedBodies, shared.compressions)
        (library, self.observer, self.accounts, self.base) = (shared.library, observer, accounts, base)
    }

    /// Answers with a stored answer.
    ///
    /// - Parameters:
    ///   - template: written to the log in place of a private target.
    ///   - asked: the origin's part.
    ///   - known: the memoized plan of the request, where that is at hand.
    func serve(
        _ stored: StoredResponse, _ status: CacheStatus, template: String?,
        asked: AnsweredRequest.Asked = AnsweredRequest.Asked(), known: MemoizedPlan? = nil,
        to connection: ClientConnection
    ) {
        let coding = coding(of: stored, for: connection)
        // Asked for once: what crosses to another module is counted as a reference each time.
        let head = connection.head
        let form = connection.withHeadBytes { bytes in AnswerForm.of(stored, for: head.method, head.fields, bytes) }
        guard form != .unsatisfiable else {
            return refuse(
                connection, AppleError(status: 416, detail: "The requested range is outside the stored answer."),
                key: stored.key, template: template, asked: asked, status: status
            ) { stored.appendContentRange(to: &$0) }
        }
        if stored.awaitsUse, head.method == .get, stored.noteUse() { noteUse(ofSuperset: stored) }
        let content = form.content(of: stored, coding)
        let age = stored.age(at: base.unixSeconds)
        observer.record(
            AnsweredRequest(
                status: form.status(of: stored),
                contentLength: AnsweredRequest.contentLength(content.count, to: head.method), cacheStatus: status,
                key: stored.key, template: template, asked: asked),
            stored, form, coding, age: age, known, on: connection)
        let mayBeFile = form == .whole && coding == .identity && head.method == .get && connection.sendsFiles
        let file = mayBeFile ? sealedBodies.file(of: stored) : nil
        connection.respond(content: content, file: file, writesDate: !stored.hasDate) { buffer in
            stored.appendHead(form, coding, to: &buffer)
            buffer.append("Age: ")
            buffer.append(decimal: age)
            buffer.append("\r\n")
            status.write(to: &buffer)
            connection.withHeadBytes { crossOrigin.write(for: head, $0, to: &buffer) }
        }
    }

    /// Credits a larger request whose answer a client uses itself.
    @inline(never)
    private func noteUse(ofSuperset stored: StoredResponse) {
        library.growth.note(useOf: Array(stored.key.target))
    }

    func writeCrossOrigin(_ connection: ClientConnection, to buffer: inout ByteBuffer) {
        connection.withHeadBytes { bytes in
            crossOrigin.write(for: connection.head, bytes, to: &buffer)
        }
    }

    /// Answers with an error of the proxy's own.
    ///
    /// - Parameters:
    ///   - key: under which an answer would be; nil where the request names none.
    ///   - template: written to the log in place of the target; a target that is malformed or
    ///     private is not repeated there.
    ///   - cause: the word after the reason in the log.
    ///   - isRecorded: false for a request that was not validated.
    ///   - retryAfter: seconds, where another try is worth while by then.
    ///   - asked: the origin's part.
    ///   - status: what `Cache-Status` says when the cache was asked.
    ///   - fields: further fields.
    func refuse(
        _ connection: ClientConnection, _ error: AppleError, key: CacheKey? = nil, template: String?,
        retryAfter: Int? = nil, asked: AnsweredRequest.Asked = AnsweredRequest.Asked(), status: CacheStatus? = nil,
        cause: StaticString? = nil, isRecorded: Bool = true, fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        let content = error.content
        observer.record(
            AnsweredRequest(
                status: error.status,
                contentLength: AnsweredRequest.contentLength(content.count, to: connection.head.method),
                cacheStatus: status, key: key, template: template, asked: asked, cause: cause),
            isRecorded ? .passed(fields: AppleError.fields(retryAfter: retryAfter), content: content) : nil,
            on: connection)
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

    /// Rejects a request before the cache is asked. It was not validated, so it is not recorded.
    func refuse(_ connection: ClientConnection, _ rejection: Rejection) {
        refuse(
            connection, rejection.error, template: observer.isRead ? shownTarget(of: connection) : "-",
            retryAfter: rejection.retryAfter, status: .refused(rejection.reason), cause: rejection.cause,
            isRecorded: false)
    }

    private func shownTarget(of connection: ClientConnection) -> String {
        connection.withHeadBytes { bytes in
            let head = connection.head
            let target = ShownTarget.bytes(of: bytes.extracting(head.target.range), for: NamedUser(of: head, bytes))
            return String(decoding: target, as: UTF8.self)
        }
    }

    func answerPreflight(_ connection: ClientConnection) {
        observer.countPreflight()
        connection.withHeadBytes { bytes in
            let head = connection.head
            observer.recordPreflight(
                ShownTarget.bytes(of: bytes.extracting(head.target.range), for: nil),
                crossOrigin.preflightRefusal(of: head, bytes, allowing: pageFields), on: connection)
        }
        connection.respond(content: []) { buffer in
            CrossOrigin.writePreflight(allowing: pageFields, to: &buffer)
            writeCrossOrigin(connection, to: &buffer)
        }
    }
}

// MARK: - Requests that come again, byte for byte, and were plain hits

extension Answering {
    /// Notes that a request was answered with the stored answer under `key`. Not for pages of
    /// lists, after which something may have to be fetched, nor where other fields than the target
    /// say which answer it is.
    func remember(_ key: CacheKey, _ facts: PlanFacts, _ connection: ClientConnection) {
        guard let repeated = connection.repeated, facts.scope == .shared, !facts.rule.followsOrigin,
            !facts.route.isList
        else { return }
        repeated.madePlan.hit = PlainHit(key, facts.logTemplate)
    }

    /// Answers a request that was a plain hit before, if it still is one.
    func answerAsBefore(_ connection: ClientConnection) -> Bool {
        guard let known = connection.repeated?.knownPlan, let hit = known.hit else { return false }
        // It shows no token: those that do are not remembered.
        guard accounts.needsNoClientToken else { return false }
        let now = base.unixSeconds
        guard let stored = base.lookup(hit.key),
            case .fresh(let ttl) = Freshness.of(stored, at: now)
        else {
            // Until it is one again, nothing is looked up twice.
            known.hit = nil
            return false
        }
        base.statistics.count(.hits)
        serve(
            stored, .hit(ttl: ttl, detail: stored.composition?.detail), template: hit.template, known: known,
            to: connection)
        return true
    }
}

// MARK: - Codings

extension Answering {
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
        guard gzip.isAvailable, !stored.key.isPersonal,
            let resourceClass = ResourceClass(rawValue: stored.classTag), !policy[resourceClass].followsOrigin
        else { return }
        guard !compressions.compress(stored, for: base.cache, by: gzip) else { return }
        base.statistics.count(.compressionSkipped)
        stored.forgetCodingRequest()
    }
}

extension ClientConnection {
    /// The coding that the request asks for; worked out once for requests that come again.
    fileprivate var preferredCoding: ContentCoding {
        repeated?.preferredCoding ?? withHeadBytes { ContentCoding.preferred(by: head.fields, $0) }
    }
}
