import Foundation
import TestSupport
import Testing

/// The HTTP/2 clients of apps and pages. Each asks for an album, whether it has changed, for a
/// large answer, for one that does not exist, and for sixty at once.
@Suite(.timeLimit(.minutes(10)), .requires(.nghttp2)) struct HTTP2LibrariesTests {
    private static let album = String.album(1)
    private static let large = "/v1/catalog/us/albums/large"
    private static let absent = "/v1/catalog/us/albums/absent"
    private static let many = 60
    private static let largeBody = "{\"a\":\"\(String(repeating: "0123456789abcdef", count: 1 << 16))\"}"
    private static let albumBytes = "{\"at\":\"GET \(album)\"}".utf8.count

    @Sendable private static func reply(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
        switch request.target {
        case large: FakeOrigin.Reply(body: largeBody)
        case absent: FakeOrigin.Reply(status: 404, body: "{\"errors\":[]}")
        default: HTTP2Scene.reply(request)
        }
    }

    /// The lines that each prints: status and bytes, and the number of answers with 200.
    private static let expected = """
        album 200 \(albumBytes)
        unchanged 304 0
        large 200 \(largeBody.utf8.count)
        absent 404 13
        many \(many)

        """

    /// The questions in JavaScript, for an `ask` that gives status, entity tag and bytes.
    private static let questions = """
        const questions = async (ask) => {
          const album = await ask('\(album)')
          const unchanged = await ask('\(album)', {'if-none-match': album.etag})
          const [large, absent] = [await ask('\(large)'), await ask('\(absent)')]
          const all = await Promise.all(Array.from({length: \(many)}, (_, index) => ask('/v1/catalog/us/albums/' + (index + 1))))
          const one = (name, answer) => `${name} ${answer.status} ${answer.bytes}\\n`
          return one('album', album) + one('unchanged', unchanged) + one('large', large) + one('absent', absent)
            + `many ${all.filter((answer) => answer.status === 200).length}\\n`
        }
        """

    /// - Parameters:
    ///   - speaksHTTP2: whether it must; else the figures only show the protocol.
    ///   - ask: gives the output of a client that asks this port and trusts this file.
    private func check(
        _ name: String, speaksHTTP2: Bool = true,
        _ ask: (_ port: UInt16, _ authority: String, _ folder: TemporaryFolder) throws -> String
    ) throws {
        let (scene, folder) = (try HTTP2Scene(), try TemporaryFolder())
        scene.origin.answer(Self.reply)
        let authority = try folder.put(scene.authority.certificatePEM().utf8, "authority.pem")
        #expect(try ask(scene.port, authority, folder) == Self.expected)
        let (all, http2) = (scene.proxy.statistics[.requests], scene.proxy.statistics[.http2Requests])
        FigureTable.note("HTTP/2 with \(name)", "\(http2) of \(all) requests")
        #expect(all >= Self.many + 4 && (!speaksHTTP2 || http2 == all))
    }

    @Test(.requires(.curl)) func curlGetsWhatItAsksFor() throws {
        let curl = try #require(Tool("curl"))
        try check("curl") { port, authority, folder in
            func ask(_ path: String, _ options: [String], _ says: String) throws -> String {
                try curl.run(
                    ["-sS", "--max-time", "60", "--http2", "--cacert", authority, "-o", "/dev/null"] + options
                        + ["-w", says + "\\n", "https://localhost:\(port)\(path)"]
                ).text
            }
            let (tag, figures) = (folder.file("tag"), " %{http_code} %{size_download}")
            let answers = [
                try ask(Self.album, ["--etag-save", tag], "album" + figures),
                try ask(Self.album, ["--etag-compare", tag], "unchanged" + figures),
                try ask(Self.large, [], "large" + figures), try ask(Self.absent, [], "absent" + figures),
            ]
            let many = try ask("/v1/catalog/us/albums/[1-\(Self.many)]", ["--parallel"], "%{http_code}")
            return answers.joined() + "many \(many.split(separator: "\n").count { $0 == "200" })\n"
        }
    }

    @Test(.requires(.browser)) func aPageGetsWhatItAsksFor() throws {
        try check("Chromium") { port, _, _ in
            let browser = try HeadlessBrowser(arguments: ["--ignore-certificate-errors"])
            try browser.open("https://localhost:\(port)\(Self.album)")
            let answers = try browser.evaluate(
                """
                (async () => {
                  const ask = async (path, headers = {}) => {
                    const answer = await fetch(path, {headers, cache: 'no-store'})
                    const bytes = (await answer.arrayBuffer()).byteLength
                    return {status: answer.status, etag: answer.headers.get('etag'), bytes}
                  }
                  \(Self.questions)
                  return await questions(ask)
                })()
                """)
            let protocols = "performance.getEntriesByType('resource').map((entry) => entry.nextHopProtocol)"
            #expect(try browser.text("[...new Set(\(protocols))]") == "h2")
            return answers as? String ?? ""
        }
    }

    /// On Linux it trusts only the system's authorities, so their file is replaced.
    @Test(.requires(.swiftc), .requires(.ownMounts)) func urlSessionGetsWhatItAsksFor() throws {
        let (compiler, unshare) = (try #require(Tool("swiftc")), try #require(Tool("unshare")))
        try check("URLSession", speaksHTTP2: false) { port, authority, folder in
            let (source, program) = (try folder.put(Self.swift.utf8, "main.swift"), folder.file("ask"))
            let compiled = try compiler.run(["-o", program, source])
            #expect(compiled.status == 0, "\(compiled.text)")
            return try unshare.run([
                "-rm", "sh", "-c", "mount --bind \"$0\" /etc/ssl/certs/ca-certificates.crt && exec \"$@\"",
                authority, program, "https://localhost:\(port)",
            ]).text
        }
    }

    private static let swift = """
        import Foundation
        import FoundationNetworking
        let base = URL(string: CommandLine.arguments[1])!
        let session = URLSession(configuration: .ephemeral)
        typealias Answer = (status: Int, bytes: Int, etag: String)
        func ask(_ path: String, _ fields: [String: String] = [:]) async -> Answer {
            var request = URLRequest(url: URL(string: path, relativeTo: base)!, cachePolicy: .reloadIgnoringLocalCacheData)
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            return await withCheckedContinuation { done in
                session.dataTask(with: request) { data, response, error in
                    if let error { print(error) }
                    let head = response as? HTTPURLResponse
                    let tag = head?.value(forHTTPHeaderField: "ETag") ?? ""
                    done.resume(returning: (head?.statusCode ?? 0, data?.count ?? 0, tag))
                }.resume()
            }
        }
        func tell(_ name: String, _ answer: Answer) { print(name, answer.status, answer.bytes) }
        let album = await ask("\(album)")
        tell("album", album)
        tell("unchanged", await ask("\(album)", ["If-None-Match": album.etag]))
        tell("large", await ask("\(large)"))
        tell("absent", await ask("\(absent)"))
        let many = await withTaskGroup(of: Int.self) { group in
            for number in 1...\(many) { group.addTask { await ask("/v1/catalog/us/albums/\\(number)").status } }
            return await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
        }
        print("many", many)

        """
}
