import Cache
import EventLoop
import HTTP

/// What the cache needs to know of the origin's answer, read off its fields once.
extension UpstreamResponse {
    /// The facts that a store decision rests on.
    var facts: ResponseFacts {
        var facts = ResponseFacts(status: status)
        for line in fields.lines { facts.merge(line.id, fields.bytes.span.extracting(line.value)) }
        facts.responseDelay = Int((receivedAt - requestedAt).components.seconds)
        return facts
    }

    /// A coding that was not asked for: the one stored form is uncompressed.
    var hasContentCoding: Bool {
        guard let coding = fields.first(.contentEncoding) else { return false }
        return !coding.elementsEqual("identity".utf8)
    }

    /// The lines that a stored answer keeps: not the moment's (`Age`, `Date`), not one client's (`Set-Cookie`), not what
    /// the origin told browsers of other sites.
    func storableFields(isPersonal: Bool) -> [UInt8] {
        endToEndLines(isPersonal) { $0 != .setCookie }
    }

    /// The lines that an answer which is not stored goes on with. `Date` is written anew with every answer.
    func forwardableFields(isPersonal: Bool) -> [UInt8] {
        endToEndLines(isPersonal) { _ in true }
    }

    /// What is personal tells caches downstream to keep their hands off it, whatever the origin said.
    private func endToEndLines(_ isPersonal: Bool, _ isKept: (FieldName) -> Bool) -> [UInt8] {
        endToEndLines { id in
            let isAboutCaching = id == .cacheControl || id == .expires || id == .pragma || id == .cdnCacheControl
            return !Self.isOfTheMoment(id) && !(isPersonal && isAboutCaching) && isKept(id)
        } + Self.via + (isPersonal ? Self.private : [])
    }

    private func endToEndLines(_ isKept: (FieldName) -> Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(fields.bytes.count)
        for line in fields.lines where isKept(line.id) { result.append(contentsOf: fields.bytes[line.line]) }
        return result
    }

    /// RFC 9110 7.6.3: the protocol it came by, and who passes it on.
    static let via = Array("Via: 1.1 refrain\r\n".utf8)

    private static let `private` = Array("Cache-Control: private, no-store\r\n".utf8)

    private static func isOfTheMoment(_ id: FieldName) -> Bool {
        switch id {
        case .age, .date, .accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlAllowHeaders,
            .accessControlAllowMethods, .accessControlExposeHeaders, .accessControlMaxAge:
            true
        default: false
        }
    }
}
