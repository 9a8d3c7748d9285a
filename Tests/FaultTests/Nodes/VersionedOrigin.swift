import Foundation
import Synchronization
import TestSupport

/// An origin whose answers each name their key and a version, which only grows.
final class VersionedOrigin: Sendable {
    /// Albums below that are of artists, so many of one; what lies above never changes.
    static let albums = 24
    static let artists = 4

    private final class Versions: Sendable {
        let byAlbum = Mutex<[Int: Int]>([:])

        func version(_ album: Int) -> Int { byAlbum.withLock { $0[album] ?? 1 } }
    }

    private let versions: Versions
    private let origin: ScriptedOrigin

    init() throws {
        let versions = Versions()
        self.versions = versions
        origin = try ScriptedOrigin([
            .serve { request in
                let target = request.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
                let album = target.split(separator: "/").last.flatMap { Int($0) } ?? 0
                let body = Self.body(album, versions.version(album))
                // Some answers are old when they arrive.
                if Int.random(in: 0..<4) == 0 { usleep(.random(in: 0..<20_000)) }
                return Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".utf8)
                    + Array("Cache-Control: max-age=86400\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
            }
        ])
    }

    var port: UInt16 { origin.port }
    func stop() { origin.stop() }

    /// Requests so far.
    var requestCount: Int { origin.requests.reduce(0) { $0 + $1.count } }

    /// From now on answers are of the next version, which is returned.
    func bump(_ album: Int) -> Int {
        versions.byAlbum.withLock { versions in
            versions[album, default: 1] += 1
            return versions[album]!
        }
    }

    static func target(_ album: Int) -> String { "/v1/catalog/us/albums/\(album)" }
    static func artist(_ album: Int) -> Int { 90_000 + album % artists }

    /// Of an artist's albums.
    static func albums(of artist: Int) -> [Int] { (0..<albums).filter { Self.artist($0) == artist } }

    static func body(_ album: Int, _ version: Int) -> Data {
        let artist = artist(album)
        var generator = SeededGenerator(seed: UInt64(album) << 32 | UInt64(version))
        let notes = (0..<(10 + Int(generator.next() % 100))).map { _ in String(generator.next(), radix: 36) }
        return Data(
            """
            {"data":[{"id":"\(album)","type":"albums","href":"\(target(album))",\
            "attributes":{"version":\(version),"notes":"\(notes.joined(separator: " "))"},\
            "relationships":{"artists":{"data":[{"id":"\(artist)","type":"artists",\
            "href":"/v1/catalog/us/artists/\(artist)"}]}}}]}
            """.utf8)
    }

    /// Which version of an album's answer it is; nil where it is none, to the byte.
    static func version(of body: Data, _ album: Int) -> Int? {
        let text = String(decoding: body, as: UTF8.self)
        guard let digits = text.components(separatedBy: #""version":"#).dropFirst().first?.prefix(while: \.isNumber),
            let version = Int(digits), body == Self.body(album, version)
        else { return nil }
        return version
    }
}
