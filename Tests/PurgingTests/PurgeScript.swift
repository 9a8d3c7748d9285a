import TestSupport

@testable import Purging

/// An answer of these targets: its own, and those of its parts.
struct ModelAnswer: Selectable {
    let targets: [[UInt8]]
    let storefront: [UInt8]
    /// Nil: of any.
    let classTag: UInt8?
    /// Nil: any.
    let named: [UInt64]?

    func answers(_ test: ([UInt8]) -> Bool) -> Bool { targets.contains(where: test) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { classTag == nil || classTag == tag }
    func mayName(_ resource: UInt64) -> Bool { named?.contains(resource) ?? true }
}

/// The list without bound, index or shortcuts.
struct PurgeModel {
    var entries: [PurgeList.Entry] = []

    func verdict(on answer: ModelAnswer, since born: Int64) -> PurgeVerdict {
        let chosen = entries.filter { $0.number > born && $0.selection.chooses(answer) }
        return chosen.contains { $0.mode == .hard } ? .gone : chosen.isEmpty ? .untouched : .stale
    }

    func lastPurge(of request: AnswerToCome) -> Int64 {
        let known = entries.filter { $0.selection.chooses(request) && !$0.selection.isOfResourcesAlone }
        return known.map(\.number).max() ?? 0
    }
}

extension EntrySelection {
    fileprivate var isOfResourcesAlone: Bool {
        leavesNoParts && conditions.contains { if case .resource = $0 { true } else { false } }
    }
}

/// Draws purges and answers that meet each other often.
struct PurgeScript {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func draw(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    mutating func isOne(in count: Int) -> Bool { draw(below: count) == 0 }

    private mutating func storefront() -> [UInt8] { Array(["us", "gb", "jp"][draw(below: 3)].utf8) }
    private mutating func resource() -> UInt64 { UInt64(draw(below: 12)) }

    mutating func target() -> [UInt8] {
        let path = "/v1/catalog/\(String(decoding: storefront(), as: UTF8.self))/\(["albums", "songs"][draw(below: 2)])"
        let query = isOne(in: 3) ? "?include=" + String(repeating: "artists,tracks,", count: draw(below: 5)) : ""
        return Array("\(path)/\(draw(below: 8))\(query)".utf8)
    }

    private mutating func pattern() -> PathPattern? {
        let texts = [
            "/v1/catalog/*/albums/*", "/v1/catalog/us/*", "/*/\(draw(below: 8))", "/v1/*/songs/\(draw(below: 8))",
        ]
        return PathPattern(Array(texts[draw(below: texts.count)].utf8))
    }

    private mutating func condition() -> EntrySelection.Condition {
        switch draw(below: 6) {
        case 0: .target(target())
        case 1:
            .prefix(Array(target().prefix(1 + draw(below: 100))))
        case 2: pattern().map { .pattern($0) } ?? .classTag(0)
        case 3: .storefront(storefront())
        case 4: .classTag(UInt8(draw(below: 3)))
        default: .resource(resource())
        }
    }

    /// Mostly of one condition; of none, and so of everything, at times.
    mutating func selection() -> EntrySelection {
        let count = [1, 1, 1, 1, 1, 2, 2, 3, isOne(in: 6) ? 0 : 1][draw(below: 9)]
        return EntrySelection((0..<count).map { _ in condition() })
    }

    mutating func mode() -> PurgeMode { isOne(in: 5) ? .hard : .soft }

    /// As an answer of the origin's, or composed of some.
    mutating func answer() -> ModelAnswer {
        let parts = isOne(in: 3) ? 2 + draw(below: 3) : 1
        return ModelAnswer(
            targets: (0..<parts).map { _ in target() }, storefront: storefront(),
            classTag: parts > 1 ? nil : UInt8(draw(below: 3)),
            named: isOne(in: 5) ? nil : (0..<draw(below: 5)).map { _ in resource() })
    }
}
