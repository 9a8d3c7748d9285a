import TestSupport
import Testing

@testable import AppleMusic

/// A request as it is meant, from which spellings are made. Deliberately simple: arrays, sets and
/// no encoding.
private struct Meaning: Hashable {
    struct Parameter: Hashable {
        let name: String
        let value: String?
    }

    /// In a path an escaped reserved character is another thing than the character, so both are in
    /// the alphabet.
    var segments: [[String]]
    var parameters: [Parameter]

    static let sets: Set<String> = ["include", "include[songs]", "types", "fields[a]"]

    /// The value that two requests have in common if and only if they mean the same.
    var identity: [[String]] {
        let sorted = parameters.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        return segments + [["?"]]
            + sorted.map { _, parameter in
                guard let value = parameter.value else { return [parameter.name] }
                guard Meaning.sets.contains(parameter.name) else { return [parameter.name, "=", value] }
                let elements = Set(value.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
                return [parameter.name, "="] + elements.sorted()
            }
    }

    static func random(_ random: inout SeededGenerator) -> Meaning {
        let names = ["include", "include[songs]", "types", "fields[a]", "ids", "term", "l", "a=&", "x y", "é"]
        let units = ["a", "b", ".", "-", "%3B", ";", "%25", ":"]
        let letters: [Character] = ["a", "b", ",", ",", " ", "+", "=", "&", "%", "é", "/", "~"]
        func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
        let segments = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            ["s"] + (0..<Int.random(in: 0...1, using: &random)).map { _ in pick(units) }
        }
        let parameters = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let value = String((0..<Int.random(in: 0...3, using: &random)).map { _ in pick(letters) })
            return Parameter(name: pick(names), value: Int.random(in: 0..<8, using: &random) == 0 ? nil : value)
        }
        return Meaning(segments: segments, parameters: parameters)
    }

    /// One of the many ways to write it down.
    func spelling(_ random: inout SeededGenerator) -> String {
        let path =
            segments.map { units in
                units.map { unit in
                    if unit.hasPrefix("%") { return Bool.random(using: &random) ? unit : unit.lowercased() }
                    let isReserved = unit == ";" || unit == ":"
                    return isReserved ? unit : spell(unit, verbatim: "sab.-", &random)
                }.joined()
            }.map { slashes(&random) + $0 }.joined() + (Bool.random(using: &random) ? "" : "/")

        // Shuffled, but equal names keep their order.
        var queues: [String: [Parameter]] = [:]
        for parameter in parameters { queues[parameter.name, default: []].append(parameter) }
        let order = parameters.map(\.name).shuffled(using: &random)
        let query = order.map { name -> String in
            let parameter = queues[name]!.removeFirst()
            let name = spell(name, verbatim: "abcdefghijklmnopqrstuvwxyz[]", &random)
            guard let value = parameter.value else { return name }
            return name + "=" + spell(reordered(value, of: parameter.name, &random), verbatim: "ab,=/~", &random)
        }
        let separator = Bool.random(using: &random) ? "&" : "&&"
        return path + (query.isEmpty ? "" : "?" + query.joined(separator: separator))
    }

    /// Empty segments change nothing.
    private func slashes(_ random: inout SeededGenerator) -> String {
        String(repeating: "/", count: Int.random(in: 0..<4, using: &random) == 0 ? 3 : 1)
    }

    private func reordered(_ value: String, of name: String, _ random: inout SeededGenerator) -> String {
        guard Meaning.sets.contains(name) else { return value }
        var elements = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if Bool.random(using: &random) { elements.append(elements[0]) }
        return elements.shuffled(using: &random).joined(separator: ",")
    }

    private func spell(_ text: String, verbatim: String, _ random: inout SeededGenerator) -> String {
        text.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if byte == UInt8(ascii: " "), Bool.random(using: &random) { return "+" }
            if verbatim.contains(character), Int.random(in: 0..<3, using: &random) > 0 { return String(character) }
            let digits = String(byte, radix: 16, uppercase: .random(using: &random))
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}

@Suite struct CanonicalTargetPropertyTests {
    @Test(arguments: 1...TestSize.of(5, release: 20) as ClosedRange<UInt64>)
    func twoSpellingsOfOneRequestMeetAndCanonicalisingAgainChangesNothing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let meaning = Meaning.random(&random)
            let (first, second) = (meaning.spelling(&random), meaning.spelling(&random))
            let target = try CanonicalTarget(first)
            #expect(try CanonicalTarget(second).text == target.text, "seed \(seed): \(first) and \(second)")
            #expect(try CanonicalTarget(target.text).text == target.text, "seed \(seed): \(first)")
            #expect(try CanonicalTarget(target.text).route == target.route, "seed \(seed): \(first)")
        }
    }

    @Test(arguments: 1...TestSize.of(5, release: 20) as ClosedRange<UInt64>)
    func differentRequestsNeverMeet(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var seen: [String: (identity: [[String]], spelling: String)] = [:]
        for _ in 0..<1000 {
            let meaning = Meaning.random(&random)
            let spelling = meaning.spelling(&random)
            let text = try CanonicalTarget(spelling).text
            if let other = seen[text] {
                #expect(other.identity == meaning.identity, "seed \(seed): \(spelling) and \(other.spelling)")
            }
            seen[text] = (meaning.identity, spelling)
        }
    }

    @Test(arguments: 1...TestSize.of(5, release: 20) as ClosedRange<UInt64>)
    func anyBytesGiveACanonicalTargetOfVisibleASCIIOrAnError(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("/v1/catalog/us/me?&=%2e%5B;.,+[]abAB\"\\#\u{0}é ".utf8)
        var target = CanonicalTarget()
        for _ in 0..<500 {
            let bytes =
                [UInt8(ascii: "/")]
                + (0..<Int.random(in: 0..<40, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            guard (try? target.parse(bytes.span)) != nil else { continue }
            let first = target.bytes
            #expect(first.allSatisfy { (0x21...0x7E).contains($0) }, "seed \(seed)")
            #expect((try? target.parse(first.span)) != nil && target.bytes == first, "seed \(seed): \(bytes)")
        }
    }
}
