import TestSupport
import Testing

@testable import AppleMusic

/// Makes targets at random, most of which are catalog requests.
private struct TargetMaker {
    var random: SeededGenerator

    mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    mutating func ids() -> [[UInt8]] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            Array(pick(["1", "1616728060", "pl.u-8aAV", "ra.978194965", "a_b-c", "..", "0"]).utf8)
        }
    }

    mutating func target() -> String {
        let type = pick(["albums", "songs", "artists", "music-videos", "record-labels", "charts", "search"])
        var path = "/v1/catalog/" + pick(["us", "gb"]) + "/" + type
        var parameters: [String] = []
        switch Int.random(in: 0..<4, using: &random) {
        case 0: path += "/" + pick(["1", "pl.u-1"])
        case 1: path += "/1/" + pick(["tracks", "albums"])
        case 2: path += "/1/view/" + pick(["top-songs", "view"])
        default: parameters.append("ids=" + pick(["1", "1,2,1", "3,,pl.1"]))
        }
        let others = [
            "include=" + pick(["artists", "b,a", "a,,b"]), "l=" + pick(["fr", "en-GB"]), "extend=x", "ids[songs]=1",
            "include[songs]=albums", "limit=" + pick(["5", "0", "25"]), "offset=" + pick(["0", "5", "x"]), "term=a+b",
            "l2=x", "limits=1", "=x", "z", "views=b,a", "a%26=%3D", "oe", "offsets", "i", "m=&m=2",
        ]
        for other in others where Int.random(in: 0..<5, using: &random) == 0 { parameters.append(other) }
        return path + (parameters.isEmpty ? "" : "?") + parameters.shuffled(using: &random).joined(separator: "&")
    }
}

private struct Parts: Equatable {
    var storefront: Storefront
    var shape: RequestShape
    var language: [UInt8]
    var ids: [[UInt8]]
    var limit: Int?
    var offset: Int?

    init(_ request: CatalogRequest) {
        storefront = request.storefront
        shape = request.shape
        language = request.language
        ids = request.resources.map(\.id)
        limit = request.limit
        offset = request.offset
    }
}

@Suite struct CatalogTargetPropertyTests {
    /// The request that a target made here leads to, which must be canonical already.
    private func parsed(_ bytes: [UInt8], _ note: Comment) throws -> CatalogRequest {
        let target = try CanonicalTarget(String(decoding: bytes, as: UTF8.self))
        #expect(target.bytes == bytes, note)
        return try #require(CatalogRequest(target), note)
    }

    @Test(arguments: 1...TestSize.of(5, release: 20) as ClosedRange<UInt64>)
    func targetsLeadToWhatTheyWereMadeOfAndAreCanonical(seed: UInt64) throws {
        var maker = TargetMaker(random: SeededGenerator(seed: seed))
        var (lists, batches) = (0, 0)
        for _ in 0..<300 {
            let text = maker.target()
            guard let request = CatalogRequest(try CanonicalTarget(text)) else { continue }
            let note = Comment(rawValue: "seed \(seed): \(text)")
            switch request.shape.subject {
            case .results:
                break
            case .list:
                lists += 1
                let limit = maker.pick([nil, 1, 25, 999_999_999])
                let offset = maker.pick([nil, 0, 5, 999_999_999])
                let window = try parsed(request.target(limit: limit, offset: offset), note)
                var expected = Parts(request)
                (expected.limit, expected.offset) = (limit, offset)
                #expect(Parts(window) == expected, note)
            case .item, .batch:
                batches += 1
                let ids = maker.ids()
                let batch = try parsed(
                    request.target(resources: ids.map { ResourceName(type: request.shape.type, id: $0) }), note)
                #expect(batch.shape.subject == .batch && batch.shape.type == request.shape.type, note)
                #expect(batch.shape.include == request.shape.include && batch.resources.map(\.id) == ids, note)
                #expect(batch.shape.decoration == request.shape.decoration && batch.language == request.language, note)
                #expect(batch.resourceContext == request.resourceContext, note)
            }
            guard request.shape.subject != .results else { continue }
            let ids = maker.ids()
            let related = try parsed(request.target(relatedType: .stationGenres, ids: ids), note)
            #expect(related.shape.subject == .batch && related.shape.type == .stationGenres, note)
            #expect(related.resources.map(\.id) == ids, note)
            #expect(related.shape.include.isEmpty && related.storefront == request.storefront, note)
            #expect(related.resourceContext == request.resourceContext && related.limit == nil, note)
        }
        #expect(lists > 20 && batches > 20, "seed \(seed)")
    }

    @Test(arguments: 1...TestSize.of(5, release: 20) as ClosedRange<UInt64>)
    func requestsWithEqualPartsAreEqualTargetsButForEmptyElements(seed: UInt64) throws {
        var maker = TargetMaker(random: SeededGenerator(seed: seed))
        var seen: [(Parts, String)] = []
        for _ in 0..<300 {
            let text = maker.target()
            let target = try CanonicalTarget(text)
            guard let request = CatalogRequest(target) else { continue }
            let parts = Parts(request)
            let plain = target.text.replacing(",,", with: ",").replacing("=,", with: "=")
            for (other, spelling) in seen where other == parts {
                #expect(spelling == plain, "seed \(seed): \(text)")
            }
            seen.append((parts, plain))
        }
        #expect(seen.count > 50)
    }
}
