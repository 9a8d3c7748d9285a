import Foundation
import TestSupport

@testable import EventLoop

/// The program with small settings, before an origin whose answers are as large as they are kept.
final class BoundedHouse {
    let program: ServedProgram
    let port: UInt16
    let securePort: UInt16
    let adminPort: Int
    let authority: ThrowawayAuthority
    private let folder: TemporaryFolder
    private let origin: ScriptedOrigin

    /// An eighth of a playlist's answer fits four times into the memory of answers.
    static let trackBytes = 70_000
    private static let filler = String(
        decoding: [UInt8](repeating: UInt8(ascii: "x"), count: trackBytes), as: UTF8.self)

    private static let runner = ["/bin/sh", "-c", "ulimit -n 1500; exec \"$@\"", "sh"]

    /// - Parameter records: whether the traffic is recorded.
    init(records: Bool) throws {
        folder = try TemporaryFolder()
        authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: ["localhost"])
        for (name, text) in [("cert.pem", leaf.certificatePEM), ("key.pem", leaf.keyPEM)] {
            chmod(try folder.put(text.utf8, name), 0o600)
        }
        origin = try ScriptedOrigin([.serve { Self.answer(ScriptedSongs.target($0)) }])
        program = try ServedProgram(
            folder,
            """
            listen 127.0.0.1:0
            listen 127.0.0.1:0 tls
            tls_certificate \(folder.file("cert.pem"))
            tls_certificate_key \(folder.file("key.pem"))
            admin_listen 127.0.0.1:0
            upstream http://127.0.0.1:\(origin.port)
            cache_file \(folder.file("cache.sqlite"))
            access_log \(folder.file("access.log"))
            \(records ? "record \(folder.file("traffic"))" : "")
            workers 1
            cache_size 1GiB
            memory_size 16MiB
            request_memory 4MiB
            answer_memory 8MiB
            upstream_connections 2
            verify_sample 50%
            """,
            // Fewer connections than usual, or their room in the sum would hide all else.
            runner: Self.runner)
        guard program.listens() else { throw ServedProgram.Failure(description: program.text) }
        (port, adminPort) = (UInt16(try program.port), try program.adminPort)
        let secure = program.text(behind: "listening on https://127.0.0.1:")
        securePort = secure.flatMap { UInt16($0.prefix { $0.isNumber }) } ?? 0
    }

    /// The bytes that `refrain check` promises.
    func promisedBytes() throws -> Int {
        let configuration = folder.file(program.configuration)
        let words =
            Self.runner.dropFirst() + [BinaryUnderTest.path ?? "", "check", "--json", "--config", configuration]
        let text = try Tool(at: Self.runner[0]).run(Array(words)).text
        let digits = text.components(separatedBy: "\"most\":").last?.drop { $0 == " " }.prefix { $0.isNumber }
        guard let most = digits.flatMap({ Int($0) }) else { throw ServedProgram.Failure(description: text) }
        return most
    }

    /// The most memory that the process has had.
    func peakBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.id)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw ServedProgram.Failure(description: status)
        }
        return kibibytes << 10
    }

    func stop() {
        program.kill()
        origin.stop()
    }

    // MARK: The origin

    /// A playlist is 7 MB with its hundred tracks, an album 6 MB, a song alone as its target says.
    private static func answer(_ target: String) -> [UInt8] {
        let last = target.components(separatedBy: "/").last ?? ""
        let ids = ScriptedSongs.ids(target)
        let resources: [String] =
            if last.hasPrefix("pl."), let number = Int(last.dropFirst(3)) {
                [playlist(number)]
            } else if target.contains("/songs") {
                ids.map { resource("songs", $0, filler) }
            } else {
                [resource("albums", last, String(repeating: filler, count: 85))]
            }
        return Array(String.ok("{\"data\":[\(resources.joined(separator: ","))]}").utf8)
    }

    static func song(_ number: Int, of playlist: Int) -> String { "\(playlist * 1_000 + number)" }

    private static func playlist(_ number: Int) -> String {
        let tracks = (0..<100).map { resource("songs", song($0, of: number), filler) }.joined(separator: ",")
        let related =
            #","relationships":{"tracks":{"href":"/v1/catalog/us/playlists/pl.\#(number)/tracks","data":[\#(tracks)]}}"#
        return String(resource("playlists", "pl.\(number)", "p").dropLast()) + related + "}"
    }

    private static func resource(_ type: String, _ id: String, _ text: String) -> String {
        #"{"id":"\#(id)","type":"\#(type)","href":"/v1/catalog/us/\#(type)/\#(id)","attributes":{"name":"\#(text)"}}"#
    }
}
