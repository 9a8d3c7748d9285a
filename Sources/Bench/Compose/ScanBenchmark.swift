import AppleMusic
import Foundation
import Simulator
import Text

/// How fast an answer's body becomes a document, beside Foundation's parser on the same bodies.
enum ScanBenchmark {
    private static let rounds = 11
    private static let secondsPerTurn = 0.03

    private struct Sample {
        let name: String
        let body: [UInt8]
        let resources: Int
    }

    static func run() throws {
        report("scan: medians of \(rounds) rounds of \(secondsPerTurn) s in turns; GB/s on one core")
        report(ResultsTable.line("", width: 32, ["bytes", "resources", "document", "mentions", "Foundation", "ratio"]))
        for sample in try samples() { try measure(sample) }
        report("  target for documents: 1.0 GB/s")
    }

    private static func measure(_ sample: Sample) throws {
        let data = Data(sample.body)
        var (documents, mentions, foundations): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<rounds {
            documents.append(speed(sample) { DocumentScan(sample.body.span).document?.objects.count ?? 0 })
            mentions.append(speed(sample) { ResourceMention.numbers(in: sample.body.span).count })
            foundations.append(speed(sample) { (try? JSONSerialization.jsonObject(with: data)) == nil ? 0 : 1 })
        }
        let ratios = zip(documents, foundations).map { $0 / $1 }
        report(
            ResultsTable.line(
                "  " + sample.name, width: 32,
                ["\(sample.body.count)", "\(sample.resources)"]
                    + [documents, mentions, foundations].map { String(format: "%.3f", $0.median) }
                    + [String(format: "%.0f", ratios.median)]))
    }

    /// GB/s of what finds something each time, by the time that this thread was running.
    private static func speed(_ sample: Sample, _ scan: () -> Int) -> Double {
        let start = threadSeconds
        var (scans, seconds) = (0, 0.0)
        repeat {
            for _ in 0..<8 { precondition(scan() > 0, "there are resources in it") }
            scans += 8
            seconds = threadSeconds - start
        } while seconds < secondsPerTurn
        return Double(scans * sample.body.count) / seconds / 1e9
    }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

// MARK: Bodies

extension ScanBenchmark {
    /// Answers of the simulated API: most requests are like one of these.
    private static func samples() throws -> [Sample] {
        let api = SimulatedAPI()
        let found = try get("/v1/catalog/us/search?term=a&types=albums,artists,playlists&limit=25", api)
        let albums = try get("/v1/catalog/us/albums?ids=\(try ids("albums", found))", api)
        let playlists = try get("/v1/catalog/us/playlists?ids=\(try ids("playlists", found))", api)
        let artists = "/v1/catalog/us/artists?ids=\(try ids("artists", found))"
        return [
            try sample("album, \(tracks(nearest: 15, albums).count) tracks", tracks(nearest: 15, albums).href, api),
            try sample(
                "playlist, \(tracks(nearest: 100, playlists).count) tracks", tracks(nearest: 100, playlists).href, api),
            try sample("25 artists", artists, api),
            try sample("25 artists, include=albums", artists + "&include=albums", api),
            try sample("search", "/v1/catalog/us/search?term=a&types=albums,artists,playlists,songs&limit=25", api),
        ]
    }

    private static func sample(_ name: String, _ target: String, _ api: SimulatedAPI) throws -> Sample {
        let body = try answer(target, api)
        guard let document = DocumentScan(body.span).document else { throw BenchError("\(target) is no document") }
        return Sample(name: name, body: body, resources: document.objects.count)
    }

    private static func answer(_ target: String, _ api: SimulatedAPI) throws -> [UInt8] {
        let token = SimulatorField("Authorization", "Bearer a.b.c")
        let response = api.respond(to: SimulatorRequest(target: Array(target.utf8), fields: [token]))
        guard response.status == 200 else { throw BenchError("\(target) is answered \(response.status)") }
        return response.body
    }

    private static func get(_ target: String, _ api: SimulatedAPI) throws -> JSON {
        try JSON.parse(try answer(target, api))
    }

    private static func ids(_ type: String, _ found: JSON) throws -> String {
        let ids = found["results"]?[type]?["data"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
        if ids.isEmpty { throw BenchError("no \(type) found") }
        return ids.joined(separator: ",")
    }

    /// The resource with so many tracks, or nearly.
    private static func tracks(nearest count: Int, _ answer: JSON) -> (href: String, count: Int) {
        let found = (answer["data"]?.arrayValue ?? []).map { resource in
            (
                href: resource["href"]?.stringValue ?? "",
                count: resource["relationships"]?["tracks"]?["data"]?.arrayValue?.count ?? 0
            )
        }
        return found.min { abs($0.count - count) < abs($1.count - count) } ?? ("", 0)
    }
}
