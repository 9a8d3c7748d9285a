import Foundation
import TestSupport

/// A secret or a value of one person that occurs nowhere else, so that a find names its owner.
struct Canary: Sendable {
    let name: String
    let text: String
    /// Beginnings of the names of places where it belongs.
    let home: [String]

    /// - Parameter text: by default letters and digits that nothing else has.
    init(_ name: String, _ text: String? = nil, home: [String] = []) {
        self.name = name
        self.text = text ?? "canary" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
        self.home = home
    }

    func belongs(in place: String) -> Bool { home.contains { place.hasPrefix($0) } }

    /// Its spellings: as it is, in hexadecimal, and in base64 at any place of a text.
    var spellings: [Data] {
        let bytes = Data(text.utf8)
        let hexadecimal = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let base64 = (0..<3).flatMap { Self.base64(bytes, behind: $0) }
        return [bytes] + ([hexadecimal, hexadecimal.uppercased()] + base64).map { Data($0.utf8) }
    }

    /// Without the characters that encode neighbouring bytes too, in both alphabets.
    private static func base64(_ bytes: Data, behind count: Int) -> Set<String> {
        let whole = (Data(repeating: 0, count: count) + bytes).base64EncodedString()
        let inner = whole.dropFirst([0, 2, 3][count]).prefix { $0 != "=" }.dropLast()
        let other = inner.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        return [String(inner), other]
    }
}

/// The bytes that a process wrote and sent, by the names of the places.
struct Evidence: Sendable {
    /// Between pieces, so that two of them do not form a canary that is in neither.
    private static let separator: UInt8 = 0
    private(set) var places: [String: Data] = [:]

    mutating func add(_ place: String, _ bytes: some Sequence<UInt8>) {
        places[place, default: Data()].append(contentsOf: bytes)
        places[place, default: Data()].append(Self.separator)
    }

    mutating func add(_ place: String, _ text: String) { add(place, text.utf8) }

    mutating func add(_ place: String, _ reply: HTTPTestClient.Reply) {
        add(place, reply.fields.map { "\($0.name): \($0.value)\n" }.joined())
        add(place, reply.body)
    }

    mutating func add(_ other: Evidence) { for (place, bytes) in other.places { add(place, bytes) } }

    var byteCount: Int { places.values.reduce(0) { $0 + $1.count } }

    /// The places where a canary occurs, in any spelling.
    func places(of canary: Canary) -> Set<String> {
        let spellings = canary.spellings
        return Set(places.filter { _, bytes in spellings.contains { bytes.range(of: $0) != nil } }.keys)
    }

    /// The canaries in places where they do not belong, a line each.
    func leaks(of canaries: [Canary]) -> [String] {
        canaries.flatMap { canary in
            places(of: canary).filter { !canary.belongs(in: $0) }.sorted().map { "\(canary.name) in \($0)" }
        }
    }
}
