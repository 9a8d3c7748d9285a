import HTTP
import Recording

/// Requests, by their excerpts: those that come again are read once.
struct RequestExcerpts {
    struct Request {
        let method: String
        let target: String
        let fields: [RecordedField]
    }

    private var known: [[UInt8]: Request] = [:]

    private static let most = 4096

    /// nil where the target is longer than a recording holds.
    mutating func request(_ excerpt: [UInt8], isPersonal: Bool) -> Request? {
        if let request = known[excerpt] { return request }
        guard let request = Self.read(excerpt, isPersonal) else { return nil }
        if known.count >= Self.most { known = [:] }
        known[excerpt] = request
        return request
    }

    private static func read(_ excerpt: [UInt8], _ isPersonal: Bool) -> Request? {
        let line = excerpt.prefix { $0 != 0x0D }
        let method = line.prefix { $0 != 0x20 }
        let target = Array(line.dropFirst(method.count + 1))
        // A personal request has its route in place of the target.
        let shown = isPersonal ? String(decoding: target, as: UTF8.self) : RecordedTarget.redacted(target)
        guard let text = shown else { return nil }
        return Request(
            method: String(decoding: method, as: UTF8.self),
            target: !isPersonal || text.hasPrefix("/") ? text : RecordedTarget.unknownRoute,
            fields: RecordedFields.among(
                excerpt[line.endIndex...],
                keeping: isPersonal ? RecordedFields.ofPersonalRequests : RecordedFields.ofRequests))
    }
}
