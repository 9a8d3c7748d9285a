import EventLoop
import Proxy
import Recording
import Text
import Traffic
import Upstream

/// Options of `replay`.
struct ReplayOptions: Sendable {
    let plan: ReplayPlan
    /// Whether answers are compared with the recorded ones.
    let verifies: Bool
    let thresholds: [Threshold]
    /// Path of the report; nil where none is written.
    let htmlFile: String?
    let failedFile: String?
    let isJSON: Bool

    /// The word that compares results instead of replaying a recording.
    static let comparing = "compare"

    /// The connections that are opened at most where the pace is given.
    static let usualConnections = 256
    static let usualWarmingConnections = 4

    init(_ arguments: CommandArguments) throws(CommandFailure) {
        guard arguments.value(Self.config) == nil else {
            throw .usage("replay: --config is for --dry-run; a live target has its own configuration")
        }
        let (pace, connections) = try Self.pace(arguments)
        var plan = try Self.plan(arguments, pace, connections)
        plan.duration = try Self.span(Self.duration, arguments)
        plan.repeats = arguments.has(Self.loop)
        guard !plan.repeats || plan.duration != nil else {
            throw .usage("replay: --loop requires --duration")
        }
        thresholds = try attempt("--\(Self.failIf.name)", or: CommandFailure.usage) {
            try arguments.all(Self.failIf).map { try Threshold($0) }
        }
        verifies = arguments.has(Self.verify) || thresholds.contains(where: \.needsVerification)
        self.plan = plan
        htmlFile = arguments.value(Self.html)
        failedFile = arguments.value(Self.failed)
        isJSON = arguments.has(.json)
    }

    /// The requests and their target; not the duration.
    static func plan(
        _ arguments: CommandArguments, _ pace: ReplayPace, _ connections: Int
    ) throws(CommandFailure) -> ReplayPlan {
        guard let file = arguments.positional.first, arguments.positional.count == 1 else {
            throw .usage("replay: name one recording to replay (see \"refrain help replay\")")
        }
        guard let target = try arguments.parsed(Self.target, Endpoint.init(url:)) else {
            throw .usage("replay: --target URL is missing")
        }
        var plan = ReplayPlan(file: file, target: target, pace: pace, connections: connections)
        if let timeout = try Self.span(Self.timeout, arguments) { plan.timeout = timeout }
        plan.filter = try ReplayFilter(arguments)
        plan.fields = try Self.fields(arguments)
        plan.tls = try Self.tls(target, arguments)
        return plan
    }

    /// Any other option would have no effect, although its user expects one.
    static func refuse(
        allBut allowed: [CommandOption], in arguments: CommandArguments, because reason: String
    ) throws(CommandFailure) {
        let names = allowed.map(\.name)
        for option in all where !names.contains(option.name) {
            guard arguments.value(option) == nil, !arguments.has(option) else {
                throw .usage("replay: \(reason); --\(option.name) has no effect with it")
            }
        }
    }

    private static func pace(_ arguments: CommandArguments) throws(CommandFailure) -> (ReplayPace, Int) {
        let rate = try givenRate(arguments)
        let speed = try arguments.parsed(Self.speed, Self.factor)
        let connections = try givenConnections(arguments)
        guard rate == nil || speed == nil else {
            throw .usage("replay: --rate and --speed both set the pace; give one of them")
        }
        if let rate { return (.rate(rate), connections ?? usualConnections) }
        if let speed { return (.recorded(speed: speed), connections ?? usualConnections) }
        if let connections { return (.closed, connections) }
        return (.recorded(speed: 1), usualConnections)
    }

    static func givenRate(_ arguments: CommandArguments) throws(CommandFailure) -> RequestRate? {
        try arguments.parsed(rate) { text throws(ValueError) in
            let rate = try Quantity.requestRate(text)
            guard rate.perSecond <= 1_000_000 else { throw ValueError(text, isNot: "at most 1000000/s") }
            return rate
        }
    }

    static func givenConnections(_ arguments: CommandArguments) throws(CommandFailure) -> Int? {
        try arguments.count(connections, in: 1...10_000)
    }

    /// `10x`, `0.5x`.
    private static func factor(_ text: String) throws(ValueError) -> Double {
        let digits = text.dropLast()
        guard text.hasSuffix("x"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let factor = Double(digits), (0.001...10_000).contains(factor)
        else { throw ValueError(text, isNot: "a speed such as 10x or 0.5x, from 0.001x to 10000x") }
        return factor
    }

    private static func span(
        _ option: CommandOption, _ arguments: CommandArguments
    ) throws(CommandFailure) -> Duration? {
        try arguments.parsed(option) { text throws(ValueError) in
            try Quantity.duration(text, in: .milliseconds(1) ... .seconds(86_400 * 7), "from 1ms to 7d")
        }
    }

    private static func tls(_ target: Endpoint, _ arguments: CommandArguments) throws(CommandFailure) -> ClientTLS? {
        guard target.isTLS else {
            guard arguments.value(caFile) == nil else {
                throw .usage("replay: --ca-file is for a target that begins with https://")
            }
            return nil
        }
        return try attempt("--ca-file") {
            try ClientTLS(trustAnchors: arguments.value(caFile).map { .file($0) } ?? .system)
        }
    }
}

extension ReplayFilter {
    init(_ arguments: CommandArguments) throws(CommandFailure) {
        self.init()
        only = arguments.all(ReplayOptions.only)
        skip = arguments.all(ReplayOptions.skip)
        methods = arguments.all(ReplayOptions.method).map { $0.uppercased() }
        for method in methods where method != "GET" && method != "HEAD" {
            throw .usage("--method: \(quoted(method)) is not GET or HEAD: no other requests are sent again")
        }
        storefronts = arguments.all(ReplayOptions.storefront).map { $0.lowercased() }
        outcomes = arguments.all(ReplayOptions.outcome)
        let words = Outcome.allCases.map(\.name)
        for outcome in outcomes where !words.contains(outcome) {
            throw .usage("--outcome: \(quoted(outcome)) is none of \(words.joined(separator: ", "))")
        }
        for path in only + skip where !path.hasPrefix("/") {
            throw .usage("--only and --skip take the beginning of a path, such as /v1/catalog/us/")
        }
        for text in arguments.all(ReplayOptions.status) {
            let digits = text.hasSuffix("xx") ? text.dropLast(2) : text[...]
            guard digits.count == (text.hasSuffix("xx") ? 1 : 3), let status = Int(digits),
                (1...5).contains(digits.count == 1 ? status : status / 100)
            else {
                throw .usage("--status: \(quoted(text)) is not a status such as 404 or 4xx")
            }
            statuses.append(status)
        }
    }
}

extension ReplayOptions {
    static let target = CommandOption(
        "target", "URL",
        "the server to send requests to: http://HOST[:PORT] or https://...")
    static let speed = CommandOption("speed", "Nx", "the recorded timing, N times as fast (1x)")
    static let rate = CommandOption(
        "rate", "RATE", "evenly spaced requests at this rate instead: 20/s, 0.5/s, 30/m")
    static let connections = CommandOption(
        "connections", "N",
        "without --rate or --speed: N closed-loop clients; with one of them: at most N connections (256)")
    static let duration = CommandOption("duration", "DURATION", "send nothing after this time")
    static let loop = CommandOption("loop", "restart at the end of the recording until --duration is over")
    static let only = CommandOption("only", "PATH", isRepeatable: true, "only targets that begin with PATH")
    static let skip = CommandOption("skip", "PATH", isRepeatable: true, "skip targets that begin with PATH")
    static let method = CommandOption("method", "METHOD", isRepeatable: true, "only this method, GET or HEAD")
    static let status = CommandOption(
        "status", "STATUS", isRepeatable: true,
        "only requests recorded with this status: 200, 4xx")
    static let outcome = CommandOption(
        "outcome", "WORD", isRepeatable: true,
        "only requests recorded with this outcome: hit, miss")
    static let storefront = CommandOption("storefront", "CODE", isRepeatable: true, "only this storefront, such as us")
    static let header = CommandOption(
        "header", "NAME:VALUE", isRepeatable: true, "add this field to every request; put secrets into --header-file")
    static let headerFile = CommandOption(
        "header-file", "FILE",
        "add these 'Name: value' lines to every request; the file must not be readable by others")
    static let caFile = CommandOption("ca-file", "FILE", "trust these authorities (PEM) instead of the system's")
    static let timeout = CommandOption(
        "timeout", "DURATION",
        "timeout of each connection attempt, wait and answer (30s)")
    static let verify = CommandOption("verify", "compare status and JSON value of each answer with the recording")
    static let failIf = CommandOption(
        "fail-if", "EXPR", isRepeatable: true, "exit with 1 if this holds: 'p99>50ms', 'hit<0.9', 'diff>0'")
    static let html = CommandOption("html", "FILE", "write a report as a page")
    static let failed = CommandOption(
        "failed", "FILE", "write the requests that failed or got an error, one JSON object a line")
    static let scaleTTL = CommandOption(
        "scale-ttl",
        "require the target's ttl_speed to equal --speed"
    )
    static let warm = CommandOption(
        "warm",
        "fill a cache: send each distinct request once, the most frequent first, at most --rate "
            + "(\(ReplayPace.warmingRate.text)) over --connections (\(usualWarmingConnections)); slow down, then stop, "
            + "if the target answers 429 or 503"
    )
    static let dryRun = CommandOption(
        "dry-run", "send nothing: run the recording through the cache, in virtual time, and compare configurations"
    )
    static let config = CommandOption(
        "config", "FILE", isRepeatable: true,
        "with --dry-run, a configuration to try (./proxy.conf, then /etc/refrain/proxy.conf)")

    static let all = [
        target, speed, rate, connections, duration, loop, only, skip, method, status, outcome, storefront, header,
        headerFile, caFile, timeout, verify, failIf, .json, html, failed, scaleTTL, .admin, .adminTokenFile,
        warm, dryRun, config,
    ]
}
