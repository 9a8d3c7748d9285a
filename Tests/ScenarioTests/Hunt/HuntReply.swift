import Foundation
import TestSupport

/// How a client asks.
enum HuntManner: Sendable, CustomStringConvertible {
    case get
    case head
    /// With an entity tag that the URL's answer had.
    case condition(String)
    /// With a range of bytes.
    case range(Int, Int)

    var method: String { if case .head = self { "HEAD" } else { "GET" } }

    var fields: [(String, String)] {
        switch self {
        case .get, .head: []
        case .condition(let tag): [("If-None-Match", tag)]
        case .range(let first, let last): [("Range", "bytes=\(first)-\(last)")]
        }
    }

    var description: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .condition(let tag): "GET if not \(tag)"
        case .range(let first, let last): "GET \(first)-\(last)"
        }
    }
}

/// The answer as a client got it.
struct HuntReply: Sendable {
    let status: Int
    var cacheStatus = ""
    var age: Int?
    var tag: String?
    var contentLength: Int?
    var contentRange: String?
    var body = Data()

    init(status: Int) { self.status = status }

    init(_ reply: HTTPTestClient.Reply) {
        self.init(status: reply.status)
        cacheStatus = reply.field("Cache-Status") ?? ""
        age = reply.field("Age").flatMap(Int.init)
        tag = reply.field("ETag")
        contentLength = reply.field("Content-Length").flatMap(Int.init)
        contentRange = reply.field("Content-Range")
        body = reply.body
    }

    var isStale: Bool { cacheStatus.contains("ttl=-") || cacheStatus.contains("detail=stale-") }

    /// Whether it was made of stored answers, as a whole or in part.
    var isComposed: Bool {
        ["composed", "reduced", "split", "window", "batched"].contains { cacheStatus.contains("detail=\($0)") }
            || cacheStatus.contains("fwd=partial")
    }

    /// `hit`, or why the origin was asked, with the detail.
    var summary: String {
        let words = cacheStatus.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let kept = words.filter { $0 == "hit" || $0.hasPrefix("fwd=") || $0.hasPrefix("detail=") || $0 == "collapsed" }
        return kept.map { $0.replacing("detail=", with: "") }.joined(separator: " ")
    }
}
