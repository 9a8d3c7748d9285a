import TestSupport
import Testing
import Text

@testable import Simulator

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
