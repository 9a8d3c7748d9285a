import Testing

/// Misses that fetch often included relationships too (`superset_includes on`, the default).
@Suite(.timeLimit(.minutes(10))) struct SupersetIncludesTests {
    /// It may blame the parameters that the proxy has added.
    @Test func aBadRequestForTheLargerAnswerIsNotStored() throws {
        let scene = try scriptedScene { target in
            guard target.contains("/albums/1000?") else { return ScriptedAlbums.reply(target) }
            return FakeOrigin.Reply(status: 400, body: #"{"errors":[{"status":"400","code":"40005"}]}"#)
        }
        let target = "/v1/catalog/us/albums/1000"
        let larger = target + "?include=artists"
        #expect(try scene.proxy.client.send("GET", target).status == 200)
        #expect(try scene.proxy.client.send("GET", larger).status == 200, "no 400 stands in for what can be composed")
        #expect(scene.upstream.suffix(2) == [larger, target])
    }

    /// Albums that clients want with their artists, so that a miss asks for these too.
    private func scriptedScene(
        _ answer: @escaping @Sendable (String) -> FakeOrigin.Reply = { ScriptedAlbums.reply($0) }
    ) throws -> ScriptedScene {
        let scene = try ScriptedScene { answer($0.target) }
        for id in 1...20 {
            _ = try scene.proxy.client.send("GET", "/v1/catalog/us/albums/\(id)?include=artists")
        }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/albums/50")
        return scene
    }

    /// It ended after 28 of 260: clients that asked for the larger answer were not counted.
    @Test func aPlainHitCredits() throws {
        let scene = try scriptedScene()
        let explained = scene.proxy.explain("/v1/catalog/us/albums/1000")
        #expect(explained?.action == .complete && explained?.reason == .absent, "nothing of it is stored")
        for id in 1_000..<1_200 {
            let target = "/v1/catalog/us/albums/\(id)"
            let before = scene.upstream.count
            for query in ["", "?include=artists", "?include=artists"] {
                #expect(try scene.proxy.client.send("GET", target + query).status == 200)
            }
            #expect(scene.upstream[before...] == [target + "?include=artists"])
        }
    }

    /// The bytes that are of no use end it: with less credit than a request costs, none is begun.
    /// From then on one in seven misses begins one.
    @Test func aHeadOnTheLargerAnswerIsNoUse() throws {
        let scene = try scriptedScene()
        for id in 1_000..<1_100 {
            let target = "/v1/catalog/us/albums/\(id)"
            #expect(try scene.proxy.client.send("GET", target).status == 200)
            #expect(try scene.proxy.client.send("HEAD", target + "?include=artists").status == 200)
            // Others want artists of other albums.
            #expect(try scene.proxy.client.send("GET", "/v1/catalog/us/albums/5\(id)?include=artists").status == 200)
        }
        let larger = (1_000..<1_100).count { scene.upstream.contains("/v1/catalog/us/albums/\($0)?include=artists") }
        #expect((70..<90).contains(larger), "\(larger)")
    }

    @Test func aHeadBeginsNone() throws {
        let scene = try scriptedScene()
        let target = "/v1/catalog/us/albums/1000"
        #expect(try scene.proxy.client.send("HEAD", target).status == 200)
        #expect(scene.upstream.last == target)
        #expect(try scene.proxy.client.send("GET", target + "1").status == 200)
        #expect(scene.upstream.last == target + "1?include=artists")
    }
}
