import AppleMusic
import Testing

@testable import Compose

// The text of made-up answers. Everything is spelt in one way only, so that composed answers can be
// compared byte for byte.

/// A resource with an attribute.
/// - Parameters:
///   - attribute: the name of its attribute.
///   - extra: members in addition to those of every resource, each with a comma before it.
///   - relations: as `relation` writes them.
func resource(
    _ type: String, _ id: String, attribute: String = "name", trackCount: Int? = nil, extra: String = "",
    _ relations: [String] = []
) -> String {
    let tracks = trackCount.map { ",\"trackCount\":\($0)" } ?? ""
    let shown = "\"attributes\":{\"\(attribute)\":\"\(type) \(id)\"\(tracks)}\(extra)"
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

/// An album with artists, which are whole or identifiers; its artist is the identifier of one else.
func album(_ id: String, _ artists: [String] = [artistID("7")]) -> String {
    resource("albums", id, [relation("artists", artists)])
}

func album(_ id: String, _ artists: [String], _ genres: [String]) -> String {
    resource("albums", id, [relation("artists", artists), relation("genres", genres)])
}

/// A document of an artist with these albums, and views as `relation` writes them.
func artistShown(_ id: String, _ albums: [String] = [identifier("albums", "3")], _ views: [String] = []) -> String {
    let shown = resource("artists", id, [relation("albums", albums)])
    if views.isEmpty { return document(shown) }
    return document(String(shown.dropLast()) + ",\"views\":{\(views.joined(separator: ","))}}")
}

func artist(_ id: String) -> String { resource("artists", id) }
func artistID(_ id: String) -> String { identifier("artists", id) }
func genre(_ id: String) -> String { resource("genres", id) }
func genreID(_ id: String) -> String { identifier("genres", id) }

/// The items of a list, from one place up to another.
func items(_ type: String, _ places: Range<Int>) -> [String] { places.map { resource(type, "\(1_000 + $0)") } }

/// The answer to a request for an item or a batch, whose albums have these artists and genres:
/// whole where the request includes them, and identifiers else. No id that begins with 404 is
/// found.
func shown(
    _ target: String, artists: [String] = ["7"], genres: [String] = [], after: Int64 = 0, freshFor: Int = 10_000
) -> Stored {
    let halves = target.split(separator: "?")
    let path = halves[0].split(separator: "/").dropFirst(target.hasPrefix("/") ? 3 : 0).map(String.init)
    func values(_ name: String) -> [String] {
        let parameter = halves.last?.split(separator: "&").first { $0.hasPrefix(name + "=") }
        return parameter?.dropFirst(name.count + 1).split(separator: ",").map(String.init) ?? []
    }
    func elements(_ type: String, _ ids: [String]) -> String {
        relation(type, ids.map { values("include").contains(type) ? resource(type, $0) : identifier(type, $0) })
    }
    let ids = (path.count > 1 ? [path[1]] : values("ids")).filter { !$0.hasPrefix("404") }
    let lists = [elements("artists", artists)] + (genres.isEmpty ? [] : [elements("genres", genres)])
    let resources = ids.map { resource(path[0], $0, path[0] == "albums" ? lists : []) }
    return Stored(target, document(resources), after: after, freshFor: freshFor)
}

/// A page of an artist's albums, whose ids are those of their places; it is the last one unless it
/// goes on at `next`.
func page(
    _ artist: Int, _ query: String, _ places: Range<Int>, next: Int? = nil, after: Int64 = 0, freshFor: Int = 10_000
) -> Stored {
    let path = "artists/\(artist)/albums"
    let link = next.map { "\(path)?offset=\($0)" }
    return Stored(
        query.isEmpty ? path : "\(path)?\(query)", document(items("albums", places), next: link), after: after,
        freshFor: freshFor)
}
