import Cache
import Freshness
import HTTP

// A loop notes answered requests for a recording with as little as it takes: numbers, the request's
// bytes, and references to stored answers. All formatting is done elsewhere.
// Must hold: no field that could hold a secret is copied; neither target nor answer of a personal
// request is.

/// An answered request: numbers alone, so that noting one counts no references.
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
    /// Age of a stored answer, in seconds; -1 for another.
    let age: Int
    let isHTTP2: Bool
    /// Which of its batch's.
    let subject: Int
}

/// A request and its answer. One of them represents all repetitions within a batch.
struct TrafficSubject: Sendable {
    let isPersonal: Bool
    /// The request as `RequestHead.appendExcerpt` writes it; empty where it is in the batch, at
    /// `place`.
    let excerpt: [UInt8]
    let place: Range<Int>
    let answer: TrafficAnswer
}

/// The answer.
enum TrafficAnswer: Sendable {
    /// Nothing of it is recorded.
    case untold
    case stored(StoredResponse, AnswerForm, ContentCoding)
    /// Field lines, and the content where there is one that everyone may see.
    case passed(fields: [UInt8], content: [UInt8])

    /// How many bytes may be in memory only because of this answer's record.
    var byteCount: Int {
        switch self {
        case .untold: 0
        case .stored(let stored, _, _): stored.bodyCount
        case .passed(_, let content): content.count
        }
    }
}

/// Events that one loop hands over at once.
struct TrafficBatch: Sendable {
    var events: [TrafficEvent] = []
    var subjects: [TrafficSubject] = []
    /// Excerpts of requests that are not known.
    var excerpts: [UInt8] = []
    /// Bytes that the subjects may keep from being freed.
    var byteCount = 0
    /// Requests that were left out because earlier batches were not written yet.
    var dropped = 0

    static let capacity = 512
    static let mostBytes = 4 << 20

    @inline(__always)
    var isFull: Bool { events.count >= Self.capacity || byteCount >= Self.mostBytes }
}

/// The batch and the subject of a known request.
struct NotedSubject {
    private let batch: Int
    let index: Int
    /// Identity of the stored answer: no other has it while the batch holds that answer; afterwards
    /// one may.
    private let stored: ObjectIdentifier
    private let coding: ContentCoding

    init(batch: Int, index: Int, _ stored: StoredResponse, _ coding: ContentCoding) {
        (self.batch, self.index) = (batch, index)
        self.stored = ObjectIdentifier(stored)
        self.coding = coding
    }

    /// Whether it stood for this answer, in whatever batch.
    func isAbout(_ stored: StoredResponse) -> Bool { self.stored == ObjectIdentifier(stored) }

    @inline(__always)
    func stands(for stored: StoredResponse, _ coding: ContentCoding, in batch: Int) -> Bool {
        self.batch == batch && self.stored == ObjectIdentifier(stored) && self.coding == coding
    }
}

extension RequestHead {
    /// `METHOD TARGET` CR LF and the field lines that may be recorded, as they came.
    func appendExcerpt(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.append(addingCapacity: byteCount) { output in
            Self.append(bytes.extracting(methodText.range), 0x20, to: &output)
            Self.append(bytes.extracting(target.range), 0x0D, to: &output)
            appendFields(bytes, to: &output) { $0.isRecorded }
        }
    }

    /// The excerpt of a personal request: its route in place of the target, and hardly a field.
    func appendPersonalExcerpt(_ bytes: Span<UInt8>, template: String, to output: inout [UInt8]) {
        var template = template
        output.append(addingCapacity: byteCount + template.utf8.count) { output in
            Self.append(bytes.extracting(methodText.range), 0x20, to: &output)
            template.withUTF8 { Self.append($0.span, 0x0D, to: &output) }
            appendFields(bytes, to: &output) { $0.isRecordedOfPersonal }
        }
    }

    @inline(__always)
    private func appendFields(
        _ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>, where isKept: (FieldName) -> Bool
    ) {
        for index in 0..<fields.endIndex where isKept(fields[index].id) {
            let field = fields[index]
            Self.append(bytes.extracting(field.name.range.lowerBound..<field.value.range.upperBound), 0x0D, to: &output)
        }
    }

    /// In one piece; a loop over bytes would cost more than all the rest.
    @inline(__always)
    private static func append(_ bytes: Span<UInt8>, _ end: UInt8, to output: inout OutputSpan<UInt8>) {
        output.withUnsafeMutableBufferPointer { target, count in
            precondition(target.count - count > bytes.count, "an excerpt is no longer than its head")
            bytes.withUnsafeBufferPointer { source in
                if let start = source.baseAddress {
                    (target.baseAddress! + count).update(from: start, count: source.count)
                }
            }
            count += bytes.count
            target[count] = end
            count += 1
        }
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
