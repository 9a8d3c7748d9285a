/// A song of the benchmarks' origin, of exactly the size that was asked for.
///
/// It has the members that the real API gives. The editorial notes fill it up.
struct SongDocument {
    /// The smallest that can be made.
    static let leastBytes = 200

    /// The whole response, with `0`s for the identifier.
    private let template: [UInt8]
    private let places: [Int]
    private let digits: Int

    /// - Parameter songs: of at least `leastBytes`.
    init(_ songs: NumberedSongs) {
        let bytes = songs.bytes
        let blank = songs.identifier(0)
        digits = blank.utf8.count
        let full = Self.body(blank, Self.attributes(blank), notes: 0)
        let attributes = full.utf8.count <= bytes ? Self.attributes(blank) : "\"name\":\"x\","
        let notes = bytes - Self.body(blank, attributes, notes: 0).utf8.count
        let head = Self.head(length: bytes)
        let body = Self.body(blank, attributes, notes: max(notes, 0))
        template = Array((head + body).utf8)
        places = Self.places(of: Array(blank.utf8), in: template, from: head.utf8.count)
    }

    /// The response with `identifier`, which has as many digits as that of any other song of this
    /// size.
    func response(_ identifier: [UInt8]) -> [UInt8] {
        var response = template
        for place in places { response.replaceSubrange(place..<place + digits, with: identifier) }
        return response
    }

    private static func head(length: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json;charset=utf-8\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static func body(_ id: String, _ attributes: String, notes: Int) -> String {
        "{\"data\":[{\"id\":\"\(id)\",\"type\":\"songs\",\"href\":\"\(NumberedSongs.path)\(id)\",\"attributes\":{"
            + attributes + "\"editorialNotes\":{\"standard\":\"" + String(repeating: "n", count: notes) + "\"}}}]}"
    }

    private static func attributes(_ id: String) -> String {
        let image = "https://images.example/image/thumb/{w}x{h}bb.jpg"
        return """
            "albumName":"An Album","artistName":"An Artist","artwork":{"width":3000,"height":3000,"url":"\(image)",\
            "bgColor":"1a1a1a","textColor1":"f0f0f0","textColor2":"e0e0e0","textColor3":"c5c5c5","textColor4":"b8b8b8"},\
            "composerName":"A Composer","discNumber":1,"durationInMillis":215000,"genreNames":["Pop","Music"],\
            "hasLyrics":true,"isrc":"USXX12345678","name":"A Song","playParams":{"id":"\(id)","kind":"song"},\
            "previews":[{"url":"https://audio.example/preview.m4a"}],"releaseDate":"2020-01-01","trackNumber":1,\
            "url":"https://music.example/us/album/a-song/1?i=\(id)",
            """
    }

    private static func places(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> [Int] {
        var places: [Int] = []
        var index = start
        while index + pattern.count <= bytes.count {
            if bytes[index] == pattern[0], bytes[index..<index + pattern.count].elementsEqual(pattern) {
                places.append(index)
                index += pattern.count
            } else {
                index += 1
            }
        }
        return places
    }
}
