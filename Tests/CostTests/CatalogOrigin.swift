import TestSupport

/// An origin that has a song of about 4 KB for every id, and one of a megabyte.
enum CatalogOrigin {
    static let large = "1999999999"

    static func start() throws -> ScriptedOrigin {
        try ScriptedOrigin([
            .serve { request in
                let target = request.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
                let body = body(String(target))
                let fields = "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                return Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\(body)".utf8)
            }
        ])
    }

    /// The answer for `.../songs/ID` and `.../songs?ids=ID,ID`.
    static func body(_ target: String) -> String {
        let ids = target.split { "/=".contains($0) }.last?.split(separator: ",") ?? []
        return "{\"data\":[" + ids.map { song(String($0)) }.joined(separator: ",") + "]}"
    }

    private static func song(_ id: String) -> String {
        let notes = String(repeating: "Words about it. ", count: id == large ? 65_536 : 220)
        let artwork = "{\"width\":3000,\"height\":3000,\"url\":\"https://images.example/\(id)/{w}x{h}bb.jpg\"}"
        let attributes = """
            "name":"Song \(id)","artistName":"An Artist","genreNames":["Pop","Music"],"durationInMillis":215000,\
            "artwork":\(artwork),"playParams":{"id":"\(id)","kind":"song"},"editorialNotes":{"standard":"\(notes)"}
            """
        return
            "{\"id\":\"\(id)\",\"type\":\"songs\",\"href\":\"/v1/catalog/us/songs/\(id)\",\"attributes\":{\(attributes)}}"
    }
}
