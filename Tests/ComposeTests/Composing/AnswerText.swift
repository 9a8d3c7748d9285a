import AppleMusic
import Testing

@testable import Compose

// The text of made-up answers. Everything is spelt in one way only, so that what is composed can be
// compared byte for byte.

/// A resource with an attribute.
/// - Parameters:
///   - attribute: the name of its attribute.
///   - extra: members in addition to those of every resource, each with a comma before it.
///   - relations: as `relation` writes them.
func resource(
    _ type: String, _ id: String, attribute: String = "name", extra: String = "", _ relations: [String] = []
) -> String {
    let shown = "\"attributes\":{\"\(attribute)\":\"\(type) \(id)\"}\(extra)"
    let related = relations.isEmpty ? "" : ",\"relationships\":{\(relations.joined(separator: ","))}"
    return "{\(head(type, id)),\(shown)\(related)}"
}

/// A resource without anything but where it is found.
func identifier(_ type: String, _ id: String) -> String { "{\(head(type, id))}" }

private func head(_ type: String, _ id: String) -> String {
    "\"id\":\"\(id)\",\"type\":\"\(type)\",\"href\":\"/v1/catalog/us/\(type)/\(id)\""
}

/// A relationship with these elements.
/// - Parameter next: where the list goes on.
func relation(_ name: String, _ elements: [String], next: String? = nil) -> String {
    let link = next.map { "\"next\":\"\($0)\"," } ?? ""
    return "\"\(name)\":{\"href\":\"/\(name)\",\(link)\"data\":[\(elements.joined(separator: ","))]}"
}

/// A document of these resources.
/// - Parameter next: where the list goes on, below `/v1/catalog/us/` or as a whole path.
func document(_ resources: [String], next: String? = nil) -> String {
    let link = next.map { "\"next\":\"\($0.hasPrefix("/") ? "" : "/v1/catalog/us/")\($0)\"," } ?? ""
    return "{\(link)\"data\":[\(resources.joined(separator: ","))]}"
}

func document(_ resource: String) -> String { document([resource]) }

func mapped(_ json: String) throws -> MappedDocument {
    let body = Array(json.utf8)
    return MappedDocument(body: body, map: try #require(DocumentScan(body).document))
}

/// An album with artists, which are whole or identifiers.
func album(_ id: String, _ artists: [String]) -> String { resource("albums", id, [relation("artists", artists)]) }

func album(_ id: String, _ artists: [String], _ genres: [String]) -> String {
    resource("albums", id, [relation("artists", artists), relation("genres", genres)])
}

/// An album whose artist is an identifier.
func album(_ id: String) -> String { album(id, [artistID("7")]) }

func artist(_ id: String) -> String { resource("artists", id) }
func artistID(_ id: String) -> String { identifier("artists", id) }
func genre(_ id: String) -> String { resource("genres", id) }
func genreID(_ id: String) -> String { identifier("genres", id) }

/// The items of a list, from one place up to another.
func items(_ type: String, _ places: Range<Int>) -> [String] { places.map { resource(type, "\(1_000 + $0)") } }
