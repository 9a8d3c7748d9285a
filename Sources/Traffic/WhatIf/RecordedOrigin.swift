// The origin's answers, as far as a recording shows them.
//
// Must hold: an answer depends only on request and time; `Source` tells recorded answers from
// others.

import AppleMusic
import HTTP
import Recording
import Server

/// Answers requests from a recording with the last version seen by then. Confined to its owner.
final class RecordedOrigin {
    enum Source: CaseIterable, Sendable {
        /// The content as it was recorded.
        case recorded
        /// Recorded without its content: filler of the recorded length.
        case filled
        /// Assembled from recorded resources, for a request that no client made.
        case assembled
        /// A 404: nothing was recorded for it.
        case unknown
    }

    struct Answer {
        var status: Int
        var fields: [RecordedField] = []
        var content = RecordedContent.Forms()
        var latency: Duration
        var source: Source
    }

    /// An answer and the time when it was first seen.
    private struct Version {
        var since: Duration
        let status: Int
        let tag: String?
        /// The number of all fields but the tag in `fieldLists`.
        let fields: Int
        let body: BodyHash?
        let length: Int?
        /// By the clock on the wall, for dates that are relative to it.
        let recordedAt: Int64

        func isSame(as other: Version) -> Bool {
            status == other.status && body == other.body && length == other.length
        }

        var lacksContent: Bool { body == nil && length != 0 }
    }

    private struct History {
        /// In the order of time.
        var versions: [Version] = []
        /// Latency of the origin's last answer.
        var latency: Duration?

        mutating func note(_ version: Version?, _ latency: Duration?) {
            if let latency { self.latency = latency }
            if let version { note(version) }
        }

        /// Puts a version in its place. Most come last; lines of slow answers come late.
        private mutating func note(_ version: Version) {
            let place = (versions.lastIndex { $0.since <= version.since } ?? -1) + 1
            if place > 0, versions[place - 1].isSame(as: version) {
                keep(version, at: place - 1, since: versions[place - 1].since)
            } else if place < versions.count, versions[place].isSame(as: version) {
                keep(version, at: place, since: version.since)
            } else if versions.last?.lacksContent == true {
                versions = [version]
            } else if versions.isEmpty || !version.lacksContent {
                // A version without its content says less than the known ones.
                versions.insert(version, at: place)
            }
        }

        /// Prefers a version with a tag: composed answers have none of the origin's.
        private mutating func keep(_ version: Version, at place: Int, since: Duration) {
            if versions[place].tag == nil { versions[place] = version }
            versions[place].since = since
        }

        /// The last version seen by then, or the first of all.
        func version(at time: Duration) -> Version? { versions.last { $0.since <= time } ?? versions.first }
    }

    private var histories: [[UInt8]: History] = [:]
    private var personal: [(status: Int16, length: Int32, latency: Int64)] = []
    private var fieldLists = Numbered<[RecordedField]>()
    private var resources = RecordedResources()
    private let content: RecordedContent
    private var latencies = Histogram()
    /// The offset of the first request.
    private var start = Duration.zero
    private var lengths = (count: 0, sum: 0)
    /// Latency of an answer where nothing else is known.
    private(set) var usualLatency = Duration.milliseconds(100)

    init(_ bodies: RecordedBodies) {
        content = RecordedContent(bodies)
    }

    // MARK: Learning

    /// Learns from an exchange.
    /// - Returns: the number for the target of a personal exchange, of which only the route is
    ///   recorded; nil for others.
    func learn(_ exchange: RecordedExchange) -> Int? {
        let latency = exchange.upstreamLatency ?? (exchange.outcome == nil ? exchange.latency : nil)
        if let latency { latencies.record(nanoseconds: latency.wholeNanoseconds) }
        if exchange.isPersonal {
            personal.append(
                (
                    Int16(exchange.status), Int32(clamping: exchange.length ?? 0),
                    latency?.wholeNanoseconds ?? Self.unknownLatency
                ))
            return personal.count - 1
        }
        guard let key = Self.key(exchange.method, Array(exchange.target.utf8)) else { return nil }
        let version = version(exchange)
        histories[key, default: History()].note(version, latency)
        guard let version else { return nil }
        if version.body != nil, version.status == 200 { resources.note(exchange.target, key) }
        if let length = version.length { lengths = (lengths.count + 1, lengths.sum + length) }
        return nil
    }

    /// Ends learning.
    /// - Parameter start: the offset of the first request.
    func finish(startingAt start: Duration) {
        self.start = start
        if let median = latencies.quantile(0.5) { usualLatency = .nanoseconds(median) }
        fieldLists.forgetNumbers()
    }

    private static let personalPath = "/v1/me/exchange/"
    private static let unknownLatency: Int64 = -1

    static func personalTarget(_ number: Int) -> String { personalPath + String(number) }

    /// nil for an answer that says nothing lasting about the resource: a part, a passing error.
    private func version(_ exchange: RecordedExchange) -> Version? {
        switch exchange.status {
        case ..<200, 206, 304, 401, 408, 412, 416, 417, 429, 500...: return nil
        case _ where exchange.method == "HEAD": return nil
        default: break
        }
        return Version(
            since: exchange.offset, status: exchange.status, tag: Self.tag(exchange),
            fields: fieldLists.number(of: exchange.fields.filter { Self.kept.contains($0.name) }),
            body: exchange.body, length: exchange.length,
            recordedAt: Self.date(exchange.field("date")) ?? exchange.time.microseconds / 1_000_000)
    }

    /// The origin's entity tag, without a coding's suffix.
    private static func tag(_ exchange: RecordedExchange) -> String? {
        guard let tag = exchange.field("etag"), !tag.hasPrefix("\"refrain-") else { return nil }
        return tag.hasSuffix("-gzip\"") ? String(tag.dropLast(6)) + "\"" : tag
    }

    private static let kept: Set<String> = [
        "cache-control", "content-language", "content-type", "expires", "last-modified", "vary",
    ]

    /// The canonical spelling of a request; nil for an invalid target.
    private static func key(_ method: String, _ target: [UInt8]) -> [UInt8]? {
        var canonical = CanonicalTarget()
        guard (try? canonical.parse(target.span)) != nil else { return nil }
        return Array((method == "HEAD" ? "GET" : method).utf8) + [0x20] + canonical.bytes
    }

    // MARK: Answering

    /// - Parameters:
    ///   - time: since the first request.
    ///   - now: the time of day, in unix seconds.
    func answer(_ method: String, _ target: [UInt8], at time: Duration, now: Int64) -> Answer {
        if let number = Self.personalNumber(target), personal.indices.contains(number) {
            return personalAnswer(number)
        }
        let time = time + start
        guard let key = Self.key(method, target) else { return unknown() }
        if let history = histories[key] { return answer(history, at: time, now) }
        let assembled = method == "GET" ? resources.assemble(target) { content(of: $0, $1, at: time) } : nil
        guard let assembled, let any = assembled.example, let like = histories[any]?.version(at: time) else {
            return unknown()
        }
        return Answer(
            status: 200, fields: fields(like, now),
            content: RecordedContent.Forms(identity: assembled.body), latency: usualLatency,
            source: assembled.isWhole ? .assembled : .unknown)
    }

    private func answer(_ history: History, at time: Duration, _ now: Int64) -> Answer {
        let latency = history.latency ?? usualLatency
        guard let version = history.version(at: time) else {
            return Answer(status: 200, content: .filler(usualLength), latency: latency, source: .filled)
        }
        var answer = Answer(status: version.status, fields: fields(version, now), latency: latency, source: .recorded)
        if let tag = version.tag { answer.fields.append(RecordedField("etag", tag)) }
        if let body = version.body, let forms = content[body] {
            answer.content = forms
        } else if version.length != 0 {
            answer.content = .filler(version.length ?? usualLength)
            answer.source = .filled
        }
        return answer
    }

    /// Length of a content where nothing else is known.
    private var usualLength: Int { lengths.sum / max(lengths.count, 1) }

    private func personalAnswer(_ number: Int) -> Answer {
        let (status, length, latency) = personal[number]
        // A passing failure would not come again.
        let lasting = status == 429 || status >= 500 || status < 200 ? 200 : status
        return Answer(
            status: Int(lasting), fields: [RecordedField("content-type", "application/json")],
            content: .filler(lasting == 204 || lasting == 304 ? 0 : Int(length)),
            latency: latency == Self.unknownLatency ? usualLatency : .nanoseconds(latency), source: .filled)
    }

    private func unknown() -> Answer {
        let error = AppleError(status: 404, detail: "No response was recorded for this request.")
        return Answer(
            status: 404, fields: [RecordedField("content-type", "application/json;charset=utf-8")],
            content: RecordedContent.Forms(identity: error.content), latency: usualLatency, source: .unknown)
    }

    private func content(of key: [UInt8], _ status: Int, at time: Duration) -> [UInt8]? {
        guard let version = histories[key]?.version(at: time), version.status == status, let body = version.body else {
            return nil
        }
        return content[body]?.identity
    }

    private static func personalNumber(_ target: [UInt8]) -> Int? {
        guard target.starts(with: personalPath.utf8) else { return nil }
        return Int(String(decoding: target.dropFirst(personalPath.utf8.count), as: UTF8.self))
    }

    /// The recorded fields, with `Expires` as far ahead of now as it was when recorded.
    private func fields(_ version: Version, _ now: Int64) -> [RecordedField] {
        fieldLists[version.fields].map { field in
            guard field.name == "expires", let expires = Self.date(field.value) else { return field }
            var text = ByteBuffer(capacity: 32)
            HTTPDate.append(now + expires - version.recordedAt, to: &text)
            return RecordedField("expires", String(decoding: text.copyReadable(), as: UTF8.self))
        }
    }

    private static func date(_ text: String?) -> Int64? {
        guard let text else { return nil }
        return HTTPDate.parse(Array(text.utf8).span)
    }
}
