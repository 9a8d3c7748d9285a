/// A page that wants sixty answers at once, over a link with a delay: by one connection of HTTP/2,
/// and by the six that browsers open for HTTP/1.1. From the handshakes to the last answer.
enum PagesMeasurement {
    private static let name = "pages"
    private static let answers = 60
    private static let delay = Duration.milliseconds(25)
    private static let ours = "HTTP/2"
    private static let theirs = "HTTP/1.1"
    private static let title = "a page of \(answers) answers of 4 KiB over a link of 50 ms, HTTP/2"
    private static let ways = [
        (name: ours, spoken: "h2", options: ["-c1", "-m\(answers)"]),
        (name: theirs, spoken: "http/1.1", options: ["--h1", "-c6", "-m1"]),
    ]

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let server = try lab.refrain(Setting(usesTLS: true))
        defer { server.stop() }
        let link = try DelayedLink(to: server.ports.clients, delay: delay)
        defer { link.stop() }
        let targets = (0..<answers).map(NumberedSongs(bytes: 4096).target)
        _ = try H2LoadResult.measure(targets.map(server.url), ["-n\(answers)", "-c1", "-m\(answers)"])
        let urls = targets.map { "https://127.0.0.1:\(link.port)\($0)" }
        var rounds = Rounds()
        for _ in 0..<lab.plan.rounds {
            for way in ways {
                let asked = try lab.originRequests()
                let result = try H2LoadResult.measure(urls, ["-n\(answers)"] + way.options)
                guard result.requests == answers, result.spoken == way.spoken, try lab.originRequests() == asked else {
                    throw BenchError("\(way.name): \(result)")
                }
                rounds.append(Sample(p50: result.milliseconds), of: way.name)
            }
        }
        return [rounds.row(name, title, unit: "ms", beside: [(theirs, .atMost(0.5))], ours: ours, \.p50)]
    }
}
