import Foundation
import Synchronization
import TestSupport

/// An origin whose answers can be checked byte for byte: each is made of its target.
final class FaultOrigin: Sendable {
    /// Part of each answer that belongs to one person; it must be in no file.
    static let personalMark = "belongs-to-one-person"
    /// The albums whose answers are of 128 KiB and of a mebibyte.
    static let (middlingAlbum, largeAlbum) = (999_999_998, 999_999_999)

    private static let filler: [UInt8] = {
        var generator = SeededGenerator(seed: 4)
        let digits = Array("0123456789abcdef".utf8)
        return (0..<8_192).flatMap { _ in
            let word = generator.next()
            return (0..<8).map { digits[Int(truncatingIfNeeded: word >> ($0 * 8)) & 15] }
        }
    }()

    private let origin: ScriptedOrigin

    /// - Parameter delay: before each answer, in milliseconds.
    init(delay: UInt32 = 0) throws {
        origin = try ScriptedOrigin([
            .serve { request in
                let target = String(request.split(separator: " ", maxSplits: 2).dropFirst().first ?? "")
                if delay > 0 { usleep(delay * 1_000) }
                let body = Self.body(of: target)
                return Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".utf8)
                    + Array("Cache-Control: max-age=86400\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
            }
        ])
    }

    var port: UInt16 { origin.port }
    func stop() { origin.stop() }

    /// How often it was asked for `target`.
    func asked(_ target: String) -> Int { origin.requests.joined().count { $0.hasPrefix("GET \(target) ") } }

    static func target(_ album: Int) -> String { "/v1/catalog/us/albums/\(album)" }
    static func personalTarget(_ number: Int) -> String { "/v1/me/library/albums/l.\(number)" }

    static func body(_ album: Int) -> Data { knownBody(of: target(album)) }

    private static let known = Mutex<[String: Data]>([:])

    /// `body(of:)`, made once where it is asked for again and again.
    static func knownBody(of target: String) -> Data {
        if let body = known.withLock({ $0[target] }) { return body }
        let body = Data(body(of: target))
        known.withLock { if $0.count < 2_000 { $0[target] = body } }
        return body
    }

    static func body(of target: String) -> [UInt8] {
        let name = target.split(separator: "/").last.map(String.init) ?? ""
        let type = target.hasPrefix("/v1/me/") ? "library-albums" : "albums"
        let mark = target.hasPrefix("/v1/me/") ? personalMark : "everybody's"
        let head = """
            {"data":[{"id":"\(name)","type":"\(type)","href":"\(target)",\
            "attributes":{"name":"\(mark) \(name)","notes":"
            """
        var generator = SeededGenerator(seed: target.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        let start = Int(generator.next() % 4_096)
        var notes = Array(filler[start..<(start + 200 + Int(generator.next() % 5_000))])
        if name == "\(middlingAlbum)" { notes += filler + filler }
        if name == "\(largeAlbum)" { for _ in 0..<16 { notes += filler } }
        return Array(head.utf8) + notes + Array("\"}}]}".utf8)
    }
}

/// The verdict on an answer of the proxy.
enum Judgement: Sendable {
    case right(isHit: Bool)
    case wrong(String)
    /// None came: the connection could not be made, or ended.
    case broken(String)
}

/// Counts the results of many requests.
final class Tally: Sendable {
    struct Figures: Sendable, CustomStringConvertible {
        var hits = 0
        var misses = 0
        var wrong: [String] = []
        var broken: [String] = []

        var right: Int { hits + misses }
        var description: String {
            "\(right + wrong.count + broken.count) requests (\(hits) hits, \(misses) misses), "
                + "\(wrong.count) wrong, \(broken.count) without an answer"
        }
    }

    private let figures = Mutex(Figures())

    var now: Figures { figures.withLock { $0 } }

    /// Whether it was an answer, and the right one.
    @discardableResult func note(_ judgement: Judgement) -> Bool {
        figures.withLock { figures in
            switch judgement {
            case .right(let isHit):
                if isHit { figures.hits += 1 } else { figures.misses += 1 }
                return true
            case .wrong(let text): figures.wrong.append(text)
            case .broken(let text): figures.broken.append(text)
            }
            return false
        }
    }
}

/// A client that compares every byte of its answers.
final class CheckingClient {
    private let client: HTTPTestClient

    init(port: Int) { client = HTTPTestClient(port: port) }

    func close() { client.close() }

    func ask(album: Int) -> Judgement { ask(FaultOrigin.target(album)) }

    /// For an answer that belongs to the holder of a token.
    func askPersonal(_ number: Int) -> Judgement {
        ask(FaultOrigin.personalTarget(number), fields: [("Music-User-Token", "token-\(number)")])
    }

    private func ask(_ target: String, fields: [(String, String)] = []) -> Judgement {
        do {
            let reply = try client.send("GET", target, fields: fields)
            guard reply.status == 200, reply.body == FaultOrigin.knownBody(of: target) else {
                return .wrong("\(target): \(reply.status), \(reply.body.count) bytes: \(reply.fields)")
            }
            return .right(isHit: reply.field("Cache-Status")?.contains("; hit") == true)
        } catch {
            client.close()
            return .broken("\(target): \(error)")
        }
    }
}
