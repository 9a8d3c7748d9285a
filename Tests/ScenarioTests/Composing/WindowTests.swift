import Foundation
import Proxy
import TestSupport
import Testing

/// Windows into lists cut out of stored pages (DECISIONS 10.1).
@Suite(.timeLimit(.minutes(10))) struct WindowTests {
    private typealias Scene = ListScene

    /// Pages that show how links are written for all that the tests ask for, of an artist that they
    /// do not ask for.
    private func learn(_ scene: ListScene) throws {
        for query in ["limit=100", "limit=100&offset=7", "", "offset=9"] { try scene.get(Scene.target(9, query)) }
    }

    @Test func anyWindowIsCutOutOfAFullPage() throws {
        let scene = try ListScene()
        try learn(scene)
        try scene.get(Scene.target(1, "limit=100&offset=10"))
        let windows = [(10, 100), (11, 99), (50, 1), (109, 1), (77, 10), (12, 25), (60, 50), (85, nil), (10, nil)]
        for (offset, limit) in windows {
            let query = (limit.map { "limit=\($0)&" } ?? "") + "offset=\(offset)"
            let (status, cost) = try scene.get(Scene.target(1, query))
            #expect(status.contains("hit"), "\(query): \(status)")
            #expect(status.contains("detail=window") || (limit == 100), "\(query): \(status)")
            #expect(cost == 0, "\(query)")
        }
        for (offset, limit) in [(109, 2), (112, 1), (86, 30), (9, 2)] {
            let (status, cost) = try scene.get(Scene.target(1, "limit=\(limit)&offset=\(offset)"))
            #expect(status.contains("fwd=") && cost > 0, "not all of \(limit) from \(offset) is there: \(status)")
        }
    }

    @Test func aLargerPageIsFetchedForAWalk() throws {
        let scene = try ListScene()
        try learn(scene)
        try scene.get(Scene.target(1, "limit=20&offset=0"))
        let (status, cost) = try scene.get(Scene.target(1, "limit=20&offset=20"))
        #expect(status.contains("fwd=uri-miss") && status.contains("detail=window") && cost == 1, "\(status)")
        #expect(scene.upstream.last == Scene.target(1, "limit=100&offset=0"))
        for offset in [40, 60, 80] {
            let (status, cost) = try scene.get(Scene.target(1, "limit=20&offset=\(offset)"))
            #expect(status.contains("hit") && cost == 0 || offset == 80, "\(offset): \(status)")
        }
    }

    /// Each HEAD of a further page was charged for a larger page, which it never asked for: five of
    /// them ended all growth.
    @Test func headsAreNotChargedForLargerPages() throws {
        let scene = try ListScene()
        try learn(scene)
        try scene.get(Scene.target(1, "limit=20&offset=0"))
        let target = Scene.target(1, "limit=20&offset=20")
        for _ in 0..<5 { _ = try scene.proxy.client.send("HEAD", target) }
        #expect(scene.upstream.suffix(5) == Array(repeating: target, count: 5)[...])
        try scene.get(target)
        #expect(scene.upstream.last == Scene.target(1, "limit=100&offset=0"))
    }
}
