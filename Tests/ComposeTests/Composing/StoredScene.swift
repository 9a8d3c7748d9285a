import AppleMusic
import Cache
import Freshness
import Testing

@testable import Compose

/// An answer of the origin's that is stored.
struct Stored: Sendable {
    let target: String
    let body: String
    /// When it came, in seconds after noon.
    var after: Int64 = 0
    var freshFor = 10_000
    /// Stale answers stay where they are found, and are no parts all the same.
    var staleFor = 1_000
    var status = 200
    /// Whether the library hears of it: its knowledge of earlier answers is a hint, and other loops
    /// store at the same moment.
    var isNoted = true
    var variant = ""
    /// Whether its resources are known; an answer from the file has no map yet.
    var isMapped = true

    /// - Parameter target: below `/v1/catalog/us/`, or a whole one.
    init(
        _ target: String, _ body: String, after: Int64 = 0, freshFor: Int = 10_000, staleFor: Int = 1_000,
        isNoted: Bool = true
    ) {
        (self.target, self.body) = (target, body)
        (self.after, self.freshFor, self.staleFor, self.isNoted) = (after, freshFor, staleFor, isNoted)
    }
}

/// The result of a request.
enum Outcome: Equatable, Sendable, CustomStringConvertible {
    case answer(String, Reason)
    /// The canonical target of the missing part, below `/v1/catalog/us/` where it is.
    case fetch(String)
    case refusal

    var description: String {
        switch self {
        case .answer(let body, let detail): "\(detail): \(body)"
        case .fetch(let target): "fetch \(target)"
        case .refusal: "refusal"
        }
    }
}

/// Answers with these resources.
extension Outcome {
    static func reduced(_ resource: String) -> Self { .reduced([resource]) }

    static func reduced(_ resources: [String]) -> Self { .answer(document(resources), .reduced) }

    static func composed(_ resource: String) -> Self { .answer(document(resource), .composed) }

    static func split(_ resources: [String]) -> Self { .answer(document(resources), .split) }

    static func window(_ items: [String], next: String? = nil) -> Self { .answer(document(items, next: next), .window) }
}

extension Outcome {
    init(_ outcome: CompositionOutcome) {
        self =
            switch outcome {
            case .answer(let body): .answer(String(decoding: body.body, as: UTF8.self), body.detail)
            case .partial(let supplement): .fetch(below(supplement.target))
            case .impossible: .refusal
            }
    }
}

/// A target below `/v1/catalog/us/` where it is, or a whole one.
func below(_ target: some Sequence<UInt8>) -> String {
    String(decoding: Array(target), as: UTF8.self).replacing("/v1/catalog/us/", with: "", maxReplacements: 1)
}

/// The rule and the reason of a refusal, in the words of the counters.
func words(_ outcome: CompositionOutcome) -> String? {
    outcome.refusal.map { "\($0.rule.word) \($0.reason.word)" }
}

/// A proxy's stored answers and lessons, in memory alone and without a loop.
///
/// Stored answers go in; a composed one or a refusal comes out.
struct StoredScene {
    /// Unix seconds: no test depends on the clock.
    static let noon: Int64 = 1_800_000_000

    let cache: ResponseCache
    let library: ResourceLibrary
    var rule = TTLRule.fixed(10_000, stale: 0)
    /// How long "not found" counts, in seconds.
    var notFoundFor = 60

    init(
        _ settings: CompositionSettings = CompositionSettings(),
        _ classes: ResourceClasses = ResourceClasses { _ in true },
        memory: MemoryTier = MemoryTier(maxBytes: 16 << 20), needsEvidence: Bool = false
    ) {
        // An example teaches what many would.
        var settings = settings
        if !needsEvidence { settings.placements = PlacementDemand(resources: 1, usesOfOne: .max) }
        cache = ResponseCache(memory: memory, file: nil)
        library = ResourceLibrary(cache, of: .none, classes, settings)
    }

    /// With some of the settings changed.
    init(_ change: (inout CompositionSettings) -> Void) {
        var settings = CompositionSettings()
        change(&settings)
        self.init(settings)
    }

    /// With these stored answers.
    init(_ stored: [Stored], _ change: (inout CompositionSettings) -> Void = { _ in }) throws {
        self.init(change)
        try store(stored)
    }

    /// Makes a canonical target of a path below the catalog's, or of a whole one.
    static func target(_ text: String) throws -> CanonicalTarget {
        let isWhole = text.hasPrefix("/")
        return try CanonicalTarget(isWhole ? text : "/v1/catalog/us/" + text)
    }

    static func request(_ text: String) throws -> CatalogRequest {
        try #require(CatalogRequest(try target(text)), "\(text) asks for no resources")
    }

    /// Stores an answer as the proxy does, and lets the library learn from it.
    @discardableResult
    func store(_ answer: Stored) throws -> ResourceLibrary.Lesson {
        let target = try Self.target(answer.target)
        var body = Array(answer.body.utf8)
        var original: [UInt8]?
        if library.settings.completesNext, let map = DocumentScan(body).document,
            let completed = CompletedNext.completing(body.span, document: map, target: target)
        {
            (original, body) = (body, completed)
        }
        let response = try response(answer, target, body)
        cache.store(response)
        let now = Self.noon + answer.after
        if answer.status == 404 {
            library.note(notFound: response.key, at: response.receivedAt, try Self.request(answer.target))
            return .nothingNew
        }
        if answer.isNoted { library.noteNames(in: response, at: now) }
        return answer.isNoted ? library.note(response, nil, original: original, at: now) : .nothingNew
    }

    /// An answer as it would be stored.
    func response(_ answer: Stored) throws -> StoredResponse {
        try response(answer, Self.target(answer.target), Array(answer.body.utf8))
    }

    private func response(_ answer: Stored, _ target: CanonicalTarget, _ body: [UInt8]) throws -> StoredResponse {
        let scan = DocumentScan(body)
        return StoredResponse(
            key: CacheKey(of: .none, scope: .shared, target: target.bytes, variant: Array(answer.variant.utf8)),
            status: answer.status, fields: Array("Content-Type: application/json\r\n".utf8), body: body,
            receivedAt: Self.noon + answer.after,
            lifetime: Lifetime(freshFor: answer.freshFor, staleFor: answer.staleFor),
            classTag: target.route.resourceClass.rawValue,
            storefront: (target.route.storefront?.text).map { Array($0.utf8) } ?? [], resources: scan.mentions,
            outline: answer.isMapped ? scan.document : nil)
    }

    func store(_ answers: [Stored]) throws { for answer in answers { try store(answer) } }

    /// Composes an answer to a request, `after` seconds after noon.
    /// - Parameter reading: the room for answers that have no map yet.
    func compose(
        _ target: String, after: Int64 = 10, isPeeking: Bool = false, reading: SourceReading? = nil
    ) throws -> CompositionOutcome {
        let now = Self.noon + after
        let composer = Composer(
            settings: library.settings, library: library, notFoundFor: notFoundFor, rule: rule)
        let sources = library.sources(nil, at: now, isPeeking: isPeeking, reading: reading)
        return composer.compose(try Self.request(target), sources, at: now)
    }

    /// Makes the larger request for this one, and the client's answer of it; false where none is
    /// made.
    func growAndSettle(_ target: String) throws -> Bool {
        guard case .partial(let supplement) = try compose(target) else { return false }
        let growth = try #require(supplement.growth)
        library.growth.begin(growth)
        library.growth.settle(growth)
        return true
    }

    /// Begins the larger requests that are made for this one until none is, and counts them.
    func growUntilItRests(_ target: String, most: Int = 100) throws -> Int {
        for tries in 0..<most {
            guard case .partial(let supplement) = try compose(target) else { return tries }
            library.growth.begin(try #require(supplement.growth))
        }
        return most
    }

    /// The same, as it can be compared.
    func ask(_ target: String, after: Int64 = 10) throws -> Outcome {
        Outcome(try compose(target, after: after))
    }

    /// Why nothing can be built, in the words of the counters; nil where something can.
    func refusal(_ target: String, after: Int64 = 10) throws -> String? { words(try compose(target, after: after)) }

    /// The composed answer.
    func answer(_ target: String, after: Int64 = 10) throws -> ComposedBody {
        guard case .answer(let body) = try compose(target, after: after) else { throw Missing(target: target) }
        return body
    }

    /// The targets of the answers that it is composed of.
    func parts(_ target: String) throws -> [String] { try answer(target).parts.map { below($0.response.key.target) } }

    struct Missing: Error {
        let target: String
    }
}

/// A row: the stored answers, the request, and the outcome.
struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let stored: [Stored]
    let target: String
    let after: Int64
    let expected: Outcome
    /// The rule and the reason of a refusal, in the words of the counters.
    let reason: String?

    init(_ name: String, _ stored: [Stored], _ target: String, after: Int64 = 10, _ expected: Outcome) {
        (testDescription, self.stored, self.target, self.after) = (name, stored, target, after)
        (self.expected, reason) = (expected, nil)
    }

    init(_ name: String, _ stored: [Stored], _ target: String, after: Int64 = 10, refused reason: String) {
        (testDescription, self.stored, self.target, self.after) = (name, stored, target, after)
        (expected, self.reason) = (.refusal, reason)
    }

    func check(_ scene: StoredScene = StoredScene()) throws {
        try scene.store(stored)
        let outcome = try scene.compose(target, after: after)
        #expect(Outcome(outcome) == expected, "\(testDescription)")
        #expect(words(outcome) == reason, "\(testDescription)")
    }
}
