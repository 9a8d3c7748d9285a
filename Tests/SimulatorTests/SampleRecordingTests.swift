import Foundation
import TestSupport
import Testing
import Text

@testable import Recording
@testable import Simulator

/// The recording that is shipped for demonstrations and tests.
@Suite struct SampleRecordingTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let path = root.appendingPathComponent("Sources/Documentation/examples/sessions.jsonl").path

    private static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// A replay of it with `--verify` against the simulated API finds no difference.
    @Test(.enabled(if: TestSize.of(false, full: true))) func isWhatTheSimulatedAPIAnswers() throws {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        let api = SimulatedAPI(configuration: configuration)
        for exchange in try RecordingReader(path: Self.path).rest() {
            guard let body = exchange.body else { continue }
            let seconds = exchange.time.microseconds / 1_000_000
            let answer = api.respond(
                to: SimulatorRequest(
                    method: exchange.method, target: Array(exchange.target.utf8), nowUnixSeconds: seconds))
            #expect(answer.status == exchange.status, "\(exchange.target)")
            #expect(BodyHash(of: answer.body) == body, "\(exchange.target)")
        }
    }

    @Test func readsWithoutWarningsAndHasEveryBody() throws {
        let reader = try RecordingReader(path: Self.path)
        let exchanges = try reader.rest()
        #expect(reader.warnings.isEmpty)
        #expect((500...2000).contains(exchanges.count))
        #expect(exchanges.map(\.offset) == exchanges.map(\.offset).sorted())
        #expect(try #require(exchanges.last).offset > .seconds(180))
        for exchange in exchanges where !exchange.isPersonal && exchange.length != 0 {
            let body = try #require(exchange.body)
            #expect(try reader.bodies.content(of: body)?.count == exchange.length)
        }
        let size = try Self.bytes(Self.path).count + Self.bytes(RecordedBodies.path(beside: Self.path)).count
        #expect(size < 1 << 20, "it is in every package")
    }

    @Test func hasSomeOfEverythingAndNothingOfAnyone() throws {
        let exchanges = try RecordingReader(path: Self.path).rest()
        let targets = exchanges.map(\.target)
        for part in ["ids=", "include=", "offset=", "/search?", "/search/hints?", "/charts", "/de/", "/jp/", "/fr/"] {
            #expect(targets.contains { $0.contains(part) }, "\(part)")
        }
        #expect(exchanges.contains { $0.status == 404 } && exchanges.contains { $0.method == "PUT" })
        #expect(exchanges.count { $0.isPersonal } > 20)
        #expect(exchanges.allSatisfy { !$0.target.hasPrefix("/v1/me") || ($0.isPersonal && $0.body == nil) })
        for path in [Self.path, RecordedBodies.path(beside: Self.path)] {
            let text = String(decoding: try Self.bytes(path), as: UTF8.self).lowercased()
            for secret in ["user-1", "authorization", "token", "cookie", "bearer"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }
}

/// The shapes of the simulated API's answers, compared with recorded ones of the real API
/// (APPLE-MUSIC-API 15.1).
@Suite(.requires(.sharedMaterial)) struct RecordedShapeTests {
    /// The member names of the attributes of each type, over all recordings.
    private static func recordedAttributes() throws -> [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        for (_, bytes) in try SharedMaterial.recordedAnswers() {
            if let body = try? JSON.parse(bytes) { collect(body, into: &names) }
        }
        return names
    }

    private static func collect(_ value: JSON, into names: inout [String: Set<String>]) {
        switch value {
        case .array(let elements): for element in elements { collect(element, into: &names) }
        case .object(let object):
            if let type = object["type"]?.stringValue, let attributes = object["attributes"] {
                names[type, default: []].formUnion(attributes.keys)
            }
            for member in object.members { collect(member.value, into: &names) }
        default: return
        }
    }

    @Test func everyAttributeWasSeenInARecording() throws {
        let origin = SimulatedOrigin()
        let recorded = try Self.recordedAttributes()
        var simulated: [String: Set<String>] = [:]
        for type in SimulatedType.allCases where type.rawValue <= SimulatedType.stationGenres.rawValue {
            let ids = (0..<20).map { origin.id(type, type == .songs ? $0 * Catalog.songSpan + 1 : min($0, 20)) }
            let target = "/v1/catalog/us/\(type.name)?ids=" + ids.joined(separator: ",")
            Self.collect(try origin.get(target), into: &simulated)
        }
        for target in ["library/albums", "library/songs", "library/artists", "library/playlists", "recommendations"] {
            Self.collect(try origin.get("/v1/me/" + target, user: "user-anna"), into: &simulated)
        }
        #expect(simulated.count >= 15)
        for (type, names) in simulated {
            let unseen = names.subtracting(recorded[type] ?? [])
            #expect(unseen.isEmpty, "\(type): \(unseen)")
        }
    }
}
