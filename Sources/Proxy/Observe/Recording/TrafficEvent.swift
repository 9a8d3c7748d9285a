import Cache
import HTTP

// What a loop notes of an answered request for a recording. As little as it takes: the request's bytes, and references to what is
// stored anyway; all formatting is done elsewhere.
// Must hold: no field that could hold a secret is copied; of a personal request neither target nor answer is.

/// One answered request.
struct TrafficEvent: Sendable {
    /// On the monotonic clock, in nanoseconds.
    let requestedAt: Int64
    /// Nanoseconds until the answer was handed over.
    let latency: Int64
    let upstreamTime: Duration?
    let cacheStatus: CacheStatus?
    let status: Int
    /// Bytes of content that were sent.
    let length: Int
    let isPersonal: Bool
    /// What the request said, as `RequestHead.appendExcerpt` writes it; empty: it is in the batch, at `place`.
    let excerpt: [UInt8]
    let place: Range<Int>
    let answer: TrafficAnswer
}

/// What was answered.
enum TrafficAnswer: Sendable {
    /// Nothing of it is recorded.
    case untold
    case stored(StoredResponse, AnswerForm, ContentCoding, age: Int)
    /// Field lines, and the content where there is one that everyone may see.
    case passed(fields: [UInt8], content: [UInt8])

    /// Bytes that nobody else may be keeping.
    var byteCount: Int {
        switch self {
        case .untold: 0
        case .stored(let stored, _, _, _): stored.bodyCount
        case .passed(_, let content): content.count
        }
    }
}

/// What one loop hands over at once.
struct TrafficBatch: Sendable {
    var events: [TrafficEvent] = []
    /// Excerpts of requests that are not known.
    var excerpts: [UInt8] = []
    /// Bytes that the events may keep from being freed.
    var byteCount = 0
    /// Requests that were left out because earlier batches were not written yet.
    var dropped = 0

    static let capacity = 256
    static let mostBytes = 4 << 20

    init() {
        events.reserveCapacity(Self.capacity)
    }

    var isFull: Bool { events.count >= Self.capacity || byteCount >= Self.mostBytes }
}

extension RequestHead {
    /// `METHOD TARGET` CR LF and the field lines that may be recorded.
    func appendExcerpt(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.append(bytes.extracting(methodText.range))
        output.append(UInt8(ascii: " "))
        output.append(bytes.extracting(target.range))
        Self.appendLineEnd(to: &output)
        appendFields(bytes, to: &output) { $0.isRecorded }
    }

    /// The same of a personal request: its route in place of the target, and hardly a field.
    func appendPersonalExcerpt(_ bytes: Span<UInt8>, template: StaticString, to output: inout [UInt8]) {
        output.append(bytes.extracting(methodText.range))
        output.append(UInt8(ascii: " "))
        template.withUTF8Buffer { output.append(contentsOf: $0) }
        Self.appendLineEnd(to: &output)
        appendFields(bytes, to: &output) { $0.isRecordedOfPersonal }
    }

    private func appendFields(_ bytes: Span<UInt8>, to output: inout [UInt8], where isKept: (FieldName) -> Bool) {
        for field in fields where isKept(field.id) {
            output.append(bytes.extracting(field.name.range))
            output.append(UInt8(ascii: ":"))
            output.append(bytes.extracting(field.value.range))
            Self.appendLineEnd(to: &output)
        }
    }

    private static func appendLineEnd(to output: inout [UInt8]) {
        output.append(0x0D)
        output.append(0x0A)
    }
}

extension FieldName {
    /// `RecordedFields.ofRequests`; a test holds the two to each other.
    var isRecorded: Bool {
        switch self {
        case .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .contentType, .ifMatch, .ifModifiedSince,
            .ifNoneMatch, .ifUnmodifiedSince, .range:
            true
        default: false
        }
    }

    /// `RecordedFields.ofPersonalRequests`.
    var isRecordedOfPersonal: Bool {
        switch self {
        case .accept, .acceptEncoding, .acceptLanguage: true
        default: false
        }
    }
}
