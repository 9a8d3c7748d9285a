import Foundation
import TestSupport
import Testing

/// The program with everything switched on (HARDENING F18): everything that it writes and sends is
/// searched for secrets and values of persons, each of which occurs nowhere else.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.binary), .requires(.redis)) struct CanaryTests {
    @Test(arguments: [true, false]) func everySecretStaysWithItsOwner(signsItself: Bool) throws {
        let house = try CanaryHouse(signsItself: signsItself)
        defer { house.stop() }
        let evidence = try house.live()
        let leaks = evidence.leaks(of: house.canaries)
        #expect(leaks.isEmpty, "\(leaks.prefix(40).joined(separator: "\n"))")
        let missing = house.expected.filter { expected in
            !evidence.places(of: expected.canary).contains { $0.hasPrefix(expected.place) }
        }
        #expect(missing.isEmpty, "\(missing.map { ($0.canary.name, evidence.places(of: $0.canary)) })")
        FigureTable.note(
            "F18 secrets",
            "\(house.canaries.count) in \(evidence.places.count) places of \(evidence.byteCount) bytes")
    }

    /// The search finds a canary that is hidden in each of the ways that it knows.
    @Test(arguments: 0..<3) func aCanaryIsFoundInEverySpelling(neighbours: Int) {
        let canary = Canary("one", home: ["home"])
        let inside = Data(("xyz".prefix(neighbours) + canary.text + "behind").utf8)
        var evidence = Evidence()
        evidence.add("home plain", inside)
        evidence.add("plain", inside)
        evidence.add("base64", inside.base64EncodedString())
        evidence.add("hexadecimal", canary.text.utf8.map { String($0, radix: 16) }.joined())
        evidence.add("nothing", Canary("another").text)
        #expect(evidence.leaks(of: [canary]) == ["one in base64", "one in hexadecimal", "one in plain"])
    }
}
