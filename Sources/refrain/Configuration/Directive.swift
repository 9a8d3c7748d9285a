// A directive. The parser, `check`, the test of the example file, the help and the man page are all
// made from `Directive.table`, so that a name, a default or a grammar is written down once.

import AppleMusic
import EventLoop
import Freshness
import HTTP
import Proxy
import Text

struct Directive: Sendable {
    /// Meaning of a second line of the same name.
    enum Repetition: Sendable {
        /// An error.
        case never
        /// Adds a value; the first line replaces the defaults.
        case adds
        /// A value for another first argument; it replaces the default of that one only.
        case perFirstArgument
    }

    /// Requirement for the first argument as a file.
    struct FileRule: Sendable {
        /// The part of the requirement that the file does not meet; nil for none.
        let problem: @Sendable (_ files: FileAccess, _ path: String) -> String?
        /// A number that changes with the content of the file; nil where the argument is no file,
        /// or one that is not read as a whole.
        var sum: (@Sendable (_ files: FileAccess, _ path: String) -> Int?)?

        static let none = FileRule { _, _ in nil }
        static let readable = FileRule(problem: { $0.problem($1) }, sum: { (try? $0.read($1))?.hashValue })
        /// Certificates of authorities, in PEM.
        static let trustAnchors = FileRule(
            problem: { $0.problem($1) ?? $0.anchorsProblem($1) }, sum: readable.sum)
        /// A cache file, or none yet.
        static let cache = FileRule { files, path in path == off ? nil : files.cacheProblem(path) }
        /// A file that others cannot read, with this content.
        static func secret(_ kind: SecretKind) -> FileRule {
            FileRule(problem: { $0.secretProblem($1, kind) }, sum: { $0.secretSum($1) })
        }
    }

    /// Values that stand for the absence of a file, of a listener or of a limit.
    static let off = "off"

    let name: String
    /// In the notation of the documentation: `[...]` may be left out, `...` repeats the word before
    /// it, `|` separates choices. The number of arguments is checked against it.
    let arguments: String
    /// The arguments of the lines that hold where none was written; none: unset.
    let defaults: [String]
    let repetition: Repetition
    let fileRule: FileRule
    /// Whether the running proxy cannot go over to another value on SIGHUP.
    let needsRestart: Bool
    /// A line for the example file and the documentation.
    let why: String
    /// Further text for the man page.
    let details: String
    /// Puts the arguments, whose number has been checked, into a configuration.
    let apply: @Sendable (inout Configuration, [String]) throws(ValueError) -> Void

    init(
        _ name: String, _ arguments: String, defaults: [String] = [], repetition: Repetition = .never,
        fileRule: FileRule = .none, needsRestart: Bool = false, why: String, details: String = "",
        apply: @escaping @Sendable (inout Configuration, [String]) throws(ValueError) -> Void
    ) {
        (self.name, self.arguments, self.defaults, self.repetition) = (name, arguments, defaults, repetition)
        (self.fileRule, self.needsRestart, self.details, self.apply) = (fileRule, needsRestart, details, apply)
        self.why = needsRestart ? why + "; a change needs a restart" : why
    }

    /// How many arguments the grammar allows.
    var argumentCount: ClosedRange<Int> {
        var least = 0
        var most = 0
        var isOptional = false
        for word in arguments.split(separator: " ") {
            if word.hasPrefix("...") { return least...Int.max }
            if word.hasPrefix("[") { isOptional = true }
            most += 1
            least += isOptional ? 0 : 1
            if word.hasSuffix("]") { isOptional = false }
        }
        return least...most
    }

    /// Name and grammar, as the reference writes them.
    var spelling: String { name + " " + arguments }

    /// The directive of that name.
    static func named(_ name: String) -> Directive? { table.first { $0.name == name } }
}

extension Directive {
    static let table: [Directive] = groups.flatMap(\.directives)

    /// Under the headings of the example file.
    static let groups: [(title: String, directives: [Directive])] = [
        ("Clients", listening + clientTimeouts), ("The origin", origin + upstreamTimeouts),
        ("Credentials", credentials), ("The cache", storage), ("Many nodes", sharing), ("Answers", answers),
        ("Operation", operation),
    ]

    private static let listening = [
        Directive(
            "listen", "ADDRESS:PORT [tls] [proxy_protocol]", defaults: ["127.0.0.1:8080"], repetition: .adds,
            why: "address for clients; may be repeated; \"tls\" requires the two files below; \"proxy_protocol\" is "
                + "for load balancers",
            details: "With \"proxy_protocol\" each connection must begin with a PROXY protocol header, version 1 or "
                + "2, before TLS if both are set (HAProxy: send-proxy, send-proxy-v2). The header names the client, in "
                + "the log and for all limits by address. A connection without a header is closed. Any peer that "
                + "reaches such a listener can claim any address, so restrict access to the load balancer."
        ) { configuration, words throws(ValueError) in
            try configuration.listeners += ListenAddress.all(words: words)
        },
        file(
            "tls_certificate", \.tlsCertificateFile, .readable,
            why: "PEM certificate chain, the leaf first; read again on SIGHUP"),
        file(
            "tls_certificate_key", \.tlsCertificateKeyFile, .secret(.key),
            why: "PEM private key, not readable by others; read again on SIGHUP"),
        toggle(
            "http2", \.http2,
            why: "offer HTTP/2 on \"tls\" listeners; requires libnghttp2"),
        optional(
            "admin_listen", "ADDRESS:PORT|unix:PATH", \.adminListener, standard: "127.0.0.1:8081",
            why: "address of the admin listener; one that is not loopback requires admin_token_file",
            read: HostPort.init(admin:)),
        file(
            "admin_token_file", \.adminTokenFile, .secret(.adminToken),
            why: "the admin listener then requires \"Authorization: Bearer\" with the content of this file"),
        optional(
            "connections_per_address", "N", \.connectionsPerAddress, standard: "2048",
            why: "maximum concurrent connections per client address; never more than half of all connections"
        ) { word throws(ValueError) in try Quantity.count(word, in: 1...1_000_000) },
        Directive(
            "trusted_proxy", "CIDR ...", repetition: .adds,
            why:
                "load balancers whose Forwarded or X-Forwarded-For names the client; may be repeated; ignored from "
                + "other addresses",
            details: "The named client is used in the log, for fairness, and for all limits by address. The list of "
                + "addresses is read from its end, as far as its proxies are trusted. If a request has both fields and "
                + "they disagree, it counts as the load balancer's own: let the balancer remove the field that it does "
                + "not write. Such a balancer may exceed connections_per_address; the concurrent requests of one "
                + "client behind it may not. TCP load balancers use proxy_protocol instead."
        ) { configuration, words throws(ValueError) in
            configuration.trustedProxies += try words.map { word throws(ValueError) in
                guard let range = AddressRange(word) else {
                    throw ValueError(word, isNot: "an address or a network such as 10.0.0.0/8")
                }
                return range
            }
        },
        size(
            "request_memory", \.requestMemory, standard: "64MiB",
            why: "memory limit for requests being read or waiting for an answer; beyond it they get 503"),
        size(
            "answer_memory", \.answerMemory, standard: "128MiB",
            why: "memory limit for answers that slow clients have not read; beyond it the largest holder is "
                + "disconnected"),
    ]

    private static let origin = [
        value(
            "upstream", "URL", \.upstream, standard: "https://api.music.apple.com",
            why: "URL of the origin; http:// is for tests and simulators", read: Endpoint.init(url:)),
        file("upstream_ca_file", \.upstreamCAFile, .trustAnchors, why: "trust anchors (PEM) instead of the system's"),
        value(
            "upstream_connections", "N", \.upstreamConnections, standard: "64",
            why: "maximum concurrent connections to the origin, of one client seven eighths; "
                + "further misses wait in a queue"
        ) { word throws(ValueError) in try Quantity.count(word, in: 1...65_535) },
        optional(
            "upstream_rate", "N/s", \.upstreamRate,
            why: "maximum rate of requests to the origin; off: limited only by its 429 answers", read: Quantity.rate),
        Directive(
            "forward_fields", "NAME ...",
            why:
                "additional request fields to forward to the origin; fields that identify or locate a user are not "
                + "sent with a token"
        ) { configuration, words throws(ValueError) in
            configuration.forwardedFields = words == [off] ? [] : try words.map(forwardableName)
        },
        toggle(
            "other", \.servesOther, ("on", "refuse"),
            why: "paths outside /v1/: on forwards them with the proxy's token; refuse answers 404"),
        optional(
            "health", "PATH", \.healthPath,
            why: "path on the client listeners that the proxy answers itself, as /readyz does: 200 or 503"
        ) { word throws(ValueError) in
            guard word.hasPrefix("/"), word.utf8.count > 1, word.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
                !word.contains(where: { "?#*".contains($0) }), !(word + "/").hasPrefix("/v1/")
            else { throw ValueError(word, isNot: "a path such as /healthz, outside /v1/ and without a query") }
            // Balancers and servers on the way write such a path in another way, or refuse it.
            guard !word.contains("//"), let target = try? CanonicalTarget(word), target.text == word else {
                throw ValueError(
                    word, isNot: "a path in its plain form: no segments . and .., no // and no encoded characters")
            }
            return word
        },
    ]

    private static let credentials = [
        file(
            "developer_token_file", \.developerTokenFile, .secret(.token),
            why: "file with a developer token (JWT); with the three directives below, Refrain signs its own instead"),
        file(
            "developer_key_file", \.developerKeyFile, .secret(.signingKey),
            why: "MusicKit private key (.p8) that signs developer tokens"),
        identifier("developer_key_id", \.developerKeyID, why: "key ID of that key"),
        identifier("developer_team_id", \.developerTeamID, why: "ID of the team that owns the key"),
        value(
            "developer_token_lifetime", "DURATION", \.developerTokenLifetime, standard: "12h",
            why: "lifetime of a signed token; renewed before it expires; Apple allows at most 15777000s"
        ) { word throws(ValueError) in
            let (least, most) = (DeveloperTokenSigner.lifetimes.lowerBound, DeveloperTokenSigner.lifetimes.upperBound)
            return try Quantity.duration(word, in: .seconds(least) ... .seconds(most), "between \(least)s and \(most)s")
        },
        file(
            "music_user_token_file", \.musicUserTokenFile, .secret(.token),
            why: "user token sent on /v1/me if the client sends none"),
        file(
            "client_keys_file", \.clientKeysFile, .secret(.clientKeys),
            why:
                "lines of \"name key\" with an optional rate such as 50/s, at most 1 MiB; clients then present a key "
                + "as bearer token or in X-Refrain-Key"
        ),
    ]

    private static let storage = [
        file(
            "cache_file", \.cacheFile, .cache, standard: "refrain.sqlite", needsRestart: true,
            why: "SQLite file that keeps answers across restarts; off: memory only"),
        toggle(
            "cache_file_locked", \.endsWithoutCacheFile, ("exit", "memory"), needsRestart: true,
            why:
                "if another process uses cache_file at start: exit with status 78, or serve from memory until the "
                + "file is free"
        ),
        value(
            "cache_check", "SIZE/s|off", \.cacheCheck, standard: "1MiB/s",
            why: "how fast cache_file is checked for damage, at the lowest priority"
        ) { word throws(ValueError) in word == off ? 0 : try Quantity.sizeRate(word) },
        // Room is set aside at the start.
        size(
            "cache_size", \.cacheSize, standard: "1GiB", needsRestart: true, why: "maximum size of cache_file"),
        size(
            "memory_size", \.memorySize, standard: "64MiB", minimum: 0, needsRestart: true,
            why: "maximum size of the memory cache"),
        Directive(
            "ttl", "CLASS DURATION|upstream|off [stale DURATION]",
            defaults: [
                "catalog 1d stale 7d", "charts 15m stale 1d", "search 1h stale 1d", "storefronts 7d", "not-found 1m",
                "bad-request 1m", "personal off", "other upstream",
            ],
            repetition: .perFirstArgument,
            why: "how long answers stay fresh, then how long they may be served stale; may be repeated; types such as "
                + "albums may have their own",
            details:
                "upstream: the lifetime comes from the origin's header fields (RFC 9111). off: never stored. stale: "
                + "how long after that the old answer is served while a new one is fetched. CLASS is one of "
                + "\(TTLClass.names.joined(separator: ", ")); types without a line use that of catalog."
        ) { configuration, words throws(ValueError) in
            guard TTLClass.names.contains(words[0]) else {
                throw ValueError(words[0], isNot: "a class" + Suggestion.text(for: words[0], in: TTLClass.names))
            }
            configuration.ttl[words[0]] = try TTLRule(words: words[1...])
        },
        value(
            "ttl_speed", "N", \.ttlSpeed, standard: "1",
            why:
                "for replays at N times the recorded speed: fresh and stale times are divided by N; 1 in production"
        ) { word throws(ValueError) in try Quantity.count(word, in: 1...1000) },
    ]

    private static let answers = [
        choice(
            "compose", \.composition.compose, standard: .on,
            why: "compose answers from stored resources; verify serves the origin's answer and compares"),
        value(
            "verify_sample", "SHARE%|off", \.verifySample, standard: "1%",
            why: "share of composed answers compared with the origin's in the background, while the request budget "
                + "allows it",
            details: "A composed answer that differs is older if the origin has revised a part, and wrong otherwise. "
                + "A wrong one is logged and counted by refrain_verify_mismatches_total, and its form is not composed "
                + "again for the ttl of its class."
        ) { word throws(ValueError) in word == off ? 0 : try Quantity.millionths(word, "off, or a share") },
        toggle(
            "windows", \.composition.windows,
            why: "cut pages out of stored larger pages; ask for the largest page when a client pages through a list"),
        toggle(
            "batch", \.composition.batch,
            why: "combine simultaneous single-ID misses into one ids= request; a single miss is never delayed"),
        toggle(
            "superset_includes", \.composition.supersets,
            why: "misses also request relationships and views that other clients often request, if that is expected "
                + "to save requests"),
        choice(
            "documented_forms", \.documentedForms, standard: .auto,
            why: "ask for more in forms that are documented but not yet observed; auto: only for Apple's own host"),
        toggle(
            "next", \.composition.completesNext, ("keep", "complete"), first: false,
            why: "keep leaves \"next\" as the origin wrote it; complete adds the client's own parameters"),
        Directive(
            "cors_origin", "ORIGIN ...", defaults: ["*"],
            why:
                "origins of web pages that may read answers, and write by a cookie with the user's token: "
                + "https://app.example.com, https://*.example.com, capacitor://localhost; off: none"
        ) { configuration, words throws(ValueError) in
            configuration.corsOrigins = words == [off] ? [] : try words.map(PageOriginText.normal)
        },
        Directive(
            "cors_headers", "NAME ...", defaults: ["*"],
            why: "additional request fields that web pages may send, such as X-App-Version; off: none"
        ) { configuration, words throws(ValueError) in
            for word in words where word != "*" && !PlainWord.isOne(word, with: "-_", upTo: 64) {
                throw ValueError(word, isNot: "the name of a field")
            }
            configuration.corsHeaders = words == [off] ? [] : words
        },
    ]

    private static let operation = [
        Directive(
            "access_log", "FILE|stdout|stderr|off [json|combined] [if CONDITION ...]", defaults: ["stdout combined"],
            why: "one line per request; the file is reopened on SIGUSR1",
            details: AccessLogSetting.details
        ) { configuration, words throws(ValueError) in
            configuration.accessLog = try AccessLogSetting(words: words)
        },
        choice("log_level", \.logLevel, standard: .info, why: "lowest level of messages written to standard error"),
        Directive(
            "record", "FILE [off] [sample SHARE%] [size SIZE] [files N]",
            why: "record served traffic to FILE for replays; off: only after \"refrain record on\"",
            details:
                "sample: the share of requests to record (100%). size: when FILE and FILE.bodies together exceed it, "
                + "they are renamed to FILE.1 (256MiB). files: how many recordings are kept; the oldest is deleted "
                + "first (4). A recording never holds a token, key, cookie or address; of personal requests it "
                + "holds only that they were made. The file is reopened on SIGUSR1."
        ) { configuration, words throws(ValueError) in
            // As for all files that may be left out.
            configuration.recording = words == [off] ? nil : try RecordingLine(words: words)
        },
        value(
            "workers", "N|auto", \.workers, standard: "auto", needsRestart: true,
            why: "number of event loops; auto: one for each processor that the process may use"
        ) { word throws(ValueError) in word == "auto" ? nil : try Quantity.count(word, in: 1...1024) },
        Directive(
            include, "FILE", repetition: .adds, why: "read another file here; relative to this one; may be repeated"
        ) { _, _ in },
    ]

    /// Carried out by the reader, before any directive is applied.
    static let include = "include"

    /// `text` where it is a token, and a client's field of that name can go along.
    private static func forwardableName(_ text: String) throws(ValueError) -> String {
        let name = Array(text.utf8)
        guard !name.isEmpty, name.span.isToken(0..<name.count) else { throw ValueError(text, isNot: "a field name") }
        guard NamedFields.canGoAlong(text) else {
            throw ValueError(text, isNot: "a field that can be forwarded: it is a secret, or the proxy sets it")
        }
        return text
    }
}
