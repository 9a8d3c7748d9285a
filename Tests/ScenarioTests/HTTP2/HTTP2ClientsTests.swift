import Foundation
import TestSupport
import Testing

@testable import AppleMusic
@testable import Proxy

/// Clients as people have them.
@Suite(.timeLimit(.minutes(10)), .requires(.nghttp2)) struct HTTP2ClientsTests {
    private func certificate(_ scene: HTTP2Scene, _ folder: TemporaryFolder) throws -> String {
        try folder.put(scene.authority.certificatePEM().utf8, "authority.pem")
        return folder.file("authority.pem")
    }

    @Test(.requires(.curl)) func curlSpeaksEitherAndSendsContent() throws {
        let (scene, folder) = (try HTTP2Scene(), try TemporaryFolder())
        let curl = try #require(Tool("curl"))
        let content = String(repeating: "content ", count: 30_000)
        try folder.put(content.utf8, "content")
        for version in ["--http2", "--http1.1"] {
            let outcome = try curl.run([
                "-sS", "--max-time", "60", version, "--cacert", try certificate(scene, folder), "--data-binary",
                "@" + folder.file("content"), "https://localhost:\(scene.port)/v1/me/library",
            ])
            #expect(outcome.text == content)
        }
        #expect(scene.proxy.statistics[.http2Requests] == 1)
        scene.proxy.stop()
    }

    @Test(.requires(.node)) func nodeAsksForMoreThanMayBeUnderWay() throws {
        let (scene, folder) = (try HTTP2Scene(), try TemporaryFolder())
        let script = """
            const http2 = require('http2'), fs = require('fs')
            const client = http2.connect('https://localhost:\(scene.port)',
              {ca: fs.readFileSync('\(try certificate(scene, folder))')})
            let done = 0, bytes = 0
            client.on('error', error => { console.log(error.message); process.exit(1) })
            for (let index = 0; index < 300; index++) {
              const request = client.request({':path': '/v1/catalog/us/albums/' + (index % 30)})
              request.on('data', data => { bytes += data.length })
              request.on('end', () => { if (++done === 300) { console.log('all ' + bytes); client.close() } })
            }
            """
        let outcome = try #require(Tool("node")).run(["-e", script])
        let each = (0..<30).map { "{\"at\":\"GET \(HTTP2Scene.album($0))\"}".utf8.count }.reduce(0, +)
        #expect(outcome.text == "all \(each * 10)\n")
        scene.proxy.stop()
    }

    @Test(.requires(.curl)) func keysAndOriginsAreJudgedAsInHTTP11() throws {
        let key = String(repeating: "k", count: 40)
        let keys = try ClientKeys(SecretBytes(Array("app \(key)\n".utf8).span))
        let (scene, folder) = (try HTTP2Scene(clientKeys: keys), try TemporaryFolder())
        let curl = try #require(Tool("curl"))
        let authority = try certificate(scene, folder)
        func fields(_ more: [String]) throws -> String {
            try curl.run(
                ["-sS", "--max-time", "60", "--http2", "--cacert", authority, "-D", "-", "-o", "/dev/null"] + more
                    + ["https://localhost:\(scene.port)\(HTTP2Scene.album(7))"]
            ).text
        }
        let origin = ["-H", "Origin: https://a.example"]
        #expect(try fields(origin).hasPrefix("HTTP/2 401"))
        let answer = try fields(origin + ["-H", "X-Refrain-Key: \(key)"])
        #expect(answer.hasPrefix("HTTP/2 200") && answer.contains("access-control-allow-origin: *"))
        let preflight = ["-X", "OPTIONS", "-H", "Access-Control-Request-Method: GET"]
        #expect(try fields(origin + preflight).hasPrefix("HTTP/2 204"))
        #expect(keys.clients.first?.requests == 1)
        scene.proxy.stop()
    }
}
