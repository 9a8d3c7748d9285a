import Foundation
import Synchronization
import TestSupport

/// An origin whose answers each name their key and a version, which only grows.
final class VersionedOrigin: Sendable {
    /// Albums below this number change, and each belongs to an artist; those above never change.
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
                let body = Self.body(Self.asked(target).map { ($0, versions.version($0)) })
                // Some answers are old when they arrive.
                if Int.random(in: 0..<4) == 0 { usleep(.random(in: 0..<20_000)) }
                return Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".utf8)
                    + Array("Cache-Control: max-age=86400\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
            }
        ])
    }

    var port: UInt16 { origin.port }
    func stop() { origin.stop() }

    /// From now on answers are of the next version, which is returned.
    func bump(_ album: Int) -> Int {
        versions.byAlbum.withLock { versions in
            versions[album, default: 1] += 1
            return versions[album]!
        }
    }

    static func target(_ album: Int) -> String { "/v1/catalog/us/albums/\(album)" }
    /// The target of one album, or of several at once.
    static func target(_ albums: [Int]) -> String {
        guard albums.count > 1 else { return target(albums[0]) }
        return "/v1/catalog/us/albums?ids=" + albums.map(String.init).joined(separator: ",")
    }

    private static func asked(_ target: Substring) -> [Int] {
        // The first number is the API's version.
        target.split { !$0.isNumber }.dropFirst().compactMap { Int($0) }
    }

    static func artist(_ album: Int) -> Int { 90_000 + album % artists }

    /// The numbers of an artist's albums.
    static func albums(of artist: Int) -> [Int] { (0..<albums).filter { Self.artist($0) == artist } }

    private static func body(_ albums: [(Int, Int)]) -> Data {
        Data("{\"data\":[\(albums.map { object($0, $1) }.joined(separator: ","))]}".utf8)
    }

    private static func object(_ album: Int, _ version: Int) -> String {
        let artist = artist(album)
        var generator = SeededGenerator(seed: UInt64(album) << 32 | UInt64(version))
        let notes = (0..<(10 + Int(generator.next() % 100))).map { _ in String(generator.next(), radix: 36) }
        return """
            {"id":"\(album)","type":"albums","href":"\(target(album))",\
            "attributes":{"version":\(version),"notes":"\(notes.joined(separator: " "))"},\
            "relationships":{"artists":{"data":[{"id":"\(artist)","type":"artists",\
            "href":"/v1/catalog/us/artists/\(artist)"}]}}}
            """
    }

    /// Which versions of these albums an answer has; nil where it is not theirs, to the byte.
    static func versions(of body: Data, _ albums: [Int]) -> [Int]? {
        let versions = String(decoding: body, as: UTF8.self).components(separatedBy: #""version":"#).dropFirst()
            .compactMap { Int($0.prefix(while: \.isNumber)) }
        guard versions.count == albums.count, body == Self.body(Array(zip(albums, versions))) else { return nil }
        return versions
    }
}
