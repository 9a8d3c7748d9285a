import Foundation
import Recording
import Traffic

/// What one process of `refrain replay` can send: a closed loop of 64 clients beside wrk's on one
/// thread, against the same proxy, in turns. Both get hits of one song, and both use one core at
/// most.
enum ReplayMeasurement {
    private static let songs = NumberedSongs(bytes: 4096)
    private static let connections = 64
    private static let wantedRate = 50_000.0
    private static let (ours, others) = ("replay", "wrk")

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let target = songs.target(1)
        let recording = try lab.workspace.write(recording(of: target), to: "replay.jsonl")
        let rounds = try lab.running([.refrain]) { servers in
            let server = servers[0]
            try lab.warm([server], target)
            var rounds = Rounds()
            for _ in 0..<lab.plan.rounds {
                rounds.append(try replay(server, recording, seconds: lab.plan.seconds), of: ours)
                rounds.append(try wrk(server, target, seconds: lab.plan.seconds), of: others)
            }
            return rounds
        }
        var rate = rounds.row(
            "replay", "hits sent by one process, 4 KiB, \(connections) connections", unit: "requests/s",
            beside: [(others, nil)], ours: ours, \.requestsPerSecond)
        rate.target = .atLeast(wantedRate)
        return [
            rate,
            rounds.row(
                "replay", "processor time of the client, a request", unit: "us", beside: [(others, nil)], ours: ours,
                \.cpuPerRequest),
        ]
    }

    private static func recording(of target: String) -> String {
        var exchange = RecordedExchange(
            time: .now(), offset: .zero, method: "GET", target: target, status: 200, latency: .zero,
            length: songs.bytes)
        exchange.requestFields = [RecordedField("accept", "application/json")]
        let lines = RecordingHeader(started: .now(), program: "bench").line + exchange.line
        return String(decoding: lines, as: UTF8.self)
    }

    private static func replay(_ server: RunningServer, _ recording: String, seconds: Int) throws -> Sample {
        let before = childrenNanoseconds
        let text = try Child.output(
            of: Programs.refrain,
            [
                "replay", recording, "--target", server.url(""), "--connections", "\(connections)", "--loop",
                "--duration", "\(seconds)s", "--json",
            ])
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("{") }),
            let result = try? ReplayResult(json: Array(line.utf8)), let rate = result.rate
        else { throw BenchError("replay wrote no result:\n\(text)") }
        guard result.failed == 0, result.hitRatio == 1, result.answered == result.sent else {
            throw BenchError(
                "replay: of \(result.sent) requests \(result.answered) were answered, not all of them by hits")
        }
        var sample = sample(rate: rate, requests: result.answered, since: before)
        sample.invalidBecause = result.latenessAtP99
        return sample
    }

    private static func wrk(_ server: RunningServer, _ target: String, seconds: Int) throws -> Sample {
        let before = childrenNanoseconds
        let result = try WrkResult.measure(server.url(target), connections: connections, seconds: seconds)
        guard result.errors == 0 else { throw BenchError("wrk: \(result.errors) requests failed") }
        return sample(rate: result.requestsPerSecond, requests: result.requests, since: before)
    }

    private static func sample(rate: Double, requests: Int, since before: Int) -> Sample {
        Sample(
            requestsPerSecond: rate, cpuPerRequest: Double(childrenNanoseconds - before) / Double(requests) / 1000)
    }

    /// Of processor time, of all children that have ended: servers run on.
    private static var childrenNanoseconds: Int {
        var use = rusage()
        getrusage(RUSAGE_CHILDREN.rawValue, &use)
        let seconds = use.ru_utime.tv_sec + use.ru_stime.tv_sec
        return seconds * 1_000_000_000 + Int(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000
    }
}
