import Cache
import EventLoop
import HTTP

/// What the cache needs to know of the origin's answer, read off its fields once.
extension UpstreamResponse {
    /// The facts that a store decision rests on.
    var facts: ResponseFacts {
        var facts = ResponseFacts(status: status)
        fields.forEachValue(.cacheControl) { facts.cacheControl.merge($0) }
        facts.age = value(.age).flatMap(Self.seconds)
        facts.date = value(.date).flatMap { HTTPDate.parse($0.span) }
        facts.lastModified = value(.lastModified).flatMap { HTTPDate.parse($0.span) }
        facts.expires = expires
        facts.vary = vary
        facts.hasEntityTag = fields.contains(.etag)
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
    var storableFields: [UInt8] {
        endToEndLines { !Self.isOfTheMoment($0) && $0 != .setCookie } + Self.via
    }

    /// The lines that an answer which is not stored goes on with. `Date` is written anew with every answer.
    func forwardableFields(isPersonal: Bool) -> [UInt8] {
        endToEndLines { id in
            !Self.isOfTheMoment(id) && !(isPersonal && (id == .cacheControl || id == .expires || id == .pragma))
        } + Self.via
    }

    private func endToEndLines(_ isKept: (FieldName) -> Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(fields.bytes.count)
        for line in fields.lines where isKept(line.id) { result.append(contentsOf: fields.bytes[line.line]) }
        return result
    }

    /// RFC 9110 7.6.3: the protocol it came by, and who passes it on.
    static let via = Array("Via: 1.1 refrain\r\n".utf8)

    private static func isOfTheMoment(_ id: FieldName) -> Bool {
        switch id {
        case .age, .date, .accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlAllowHeaders,
            .accessControlAllowMethods, .accessControlExposeHeaders, .accessControlMaxAge:
            true
        default: false
        }
    }

    private func value(_ id: FieldName) -> [UInt8]? {
        fields.first(id).map(Array.init)
    }

    private var expires: ResponseFacts.Expires {
        guard let value = value(.expires) else { return .absent }
        guard fields.count(.expires) == 1, let date = HTTPDate.parse(value.span) else { return .invalid }
        return .at(date)
    }

    /// The proxy asks for one coding and drops what is said about sites, so these two name nothing that could differ.
    private var vary: ResponseFacts.Vary {
        var isAccounted = true
        fields.forEachValue(.vary) { value in
            var elements = ListElements(of: value)
            while let element = elements.next(in: value)?.range {
                if !value.equalsIgnoringCase(element, "accept-encoding") && !value.equalsIgnoringCase(element, "origin")
                {
                    isAccounted = false
                }
            }
        }
        return isAccounted ? .accounted : .unaccounted
    }

    /// RFC 9111 1.2.2: delta-seconds; what is no number is ignored, what is too large is as large as can be.
    private static func seconds(_ value: [UInt8]) -> Int? {
        var result = 0
        for byte in value {
            guard 0x30...0x39 ~= byte else { return nil }
            result = min(result * 10 + Int(byte - 0x30), 1 << 31)
        }
        return value.isEmpty ? nil : result
    }
}
