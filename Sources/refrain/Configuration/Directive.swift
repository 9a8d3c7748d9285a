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
        /// One more value; the first line replaces the defaults.
        case adds
        /// A value for another first argument; it replaces the default of that one only.
        case perFirstArgument
    }

    /// Requirement for the first argument as a file.
    enum FileRule: Sendable {
        case none
        case readable
        /// Certificates of authorities, in PEM.
        case trustAnchors
        /// A cache file, or none yet.
        case cache
        /// Not readable by others, with this content.
        case secret(SecretKind)
    }

    /// The content of a file that others may not read.
    enum SecretKind: Sendable {
        /// One token and at most a line end behind it.
        case token
        /// The same, but made by the operator and thus of a least length.
        case adminToken
        /// A private key in PEM.
        case key
        /// One that developer tokens are signed with.
        case signingKey
        /// A client and its key a line.
        case clientKeys
        /// A password, or a user and a password.
        case tierCredentials
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
    /// One line for the example file and the documentation.
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
            if word == "..." { return least...Int.max }
            if word.hasPrefix("[") { isOptional = true }
            most += 1
            least += isOptional ? 0 : 1
            if word.hasSuffix("]") { isOptional = false }
        }
        return least...most
    }

    /// As it would be written: name and grammar.
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
            why: "where clients connect; repeats; \"tls\" needs the two files below; \"proxy_protocol\": a load "
                + "balancer does",
            details: "With \"proxy_protocol\" each connection has to begin with a header of the PROXY protocol, "
                + "version 1 or 2, before TLS where there is both (HAProxy: send-proxy, send-proxy-v2). The client is "
                + "then the one that it names: in the log, and for all that is counted by address. A connection "
                + "without one is closed. Whoever reaches such a listener can call itself what it likes."
        ) { configuration, words throws(ValueError) in
            try configuration.listeners += ListenAddress.all(words: words)
        },
        file(
            "tls_certificate", \.tlsCertificateFile, .readable,
            why: "PEM, the leaf first, then its issuers; read again on SIGHUP"),
        file(
            "tls_certificate_key", \.tlsCertificateKeyFile, .secret(.key),
            why: "PEM, not readable by others; read again on SIGHUP"),
        toggle(
            "http2", \.http2,
            why: "whether clients of a \"tls\" listener may choose HTTP/2, which needs libnghttp2"),
        optional(
            "admin_listen", "ADDRESS:PORT|unix:PATH", \.adminListener, standard: "127.0.0.1:8081",
            why: "the operator's surface; an address that is not loopback needs admin_token_file"
        ) { word throws(ValueError) in try AdminAddress(word) },
        file(
            "admin_token_file", \.adminTokenFile, .secret(.adminToken),
            why: "the admin listener then asks for \"Authorization: Bearer\" and the content of this file"),
        optional(
            "connections_per_address", "N", \.connectionsPerAddress, standard: "2048",
            why: "the most connections of one client address at once, and never more than half of all"
        ) { word throws(ValueError) in try Quantity.count(word, in: 1...1_000_000) },
        Directive(
            "trusted_proxy", "CIDR ...", repetition: .adds,
            why:
                "load balancers that name the client by Forwarded or X-Forwarded-For; repeats; from others it is ignored",
            details: "The client is then the one that they name: in the log, for fairness, and for all that is counted "
                + "by address. The list of addresses counts from its end, as far as its proxies are trusted. Where a "
                + "request has both fields and they disagree, it counts as the load balancer's own: let that remove the "
                + "one that it does not write. Such a balancer may have more than connections_per_address; the requests "
                + "of one client that it passes on at once may not. A balancer of TCP says the same by proxy_protocol."
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
            why: "the most that requests may hold while they are read or wait for an answer; more are answered 503"),
        size(
            "answer_memory", \.answerMemory, standard: "128MiB",
            why: "the most that answers may hold which slow clients have not taken; beyond it who holds most is reset"),
    ]

    /// A share in millionths, one at least.
    private static func millionths(_ word: String) throws(ValueError) -> Int {
        guard let share = try? Quantity.share(word), share >= 1e-6 else {
            throw ValueError(word, isNot: "off, or a share from 0.0001% to 100%, such as 1%")
        }
        return Int(clamping: (share * 1e6).rounded())
    }

    private static let origin = [
        value(
            "upstream", "URL", \.upstream, standard: "https://api.music.apple.com",
            why: "the API that is cached; http:// is for tests and simulators", read: ServerURL.init),
        file("upstream_ca_file", \.upstreamCAFile, .trustAnchors, why: "trust anchors (PEM) instead of the system's"),
        value(
            "upstream_connections", "N", \.upstreamConnections, standard: "64",
            why: "the most connections to the origin at once; further misses wait their turn"
        ) { word throws(ValueError) in try Quantity.count(word, in: 1...65_535) },
        optional(
            "upstream_rate", "N/s", \.upstreamRate,
            why: "a ceiling on requests to the origin; off: only what its 429s teach", read: Quantity.rate),
        Directive(
            "forward_fields", "NAME ...",
            why:
                "further request fields that go to the origin; those that tell who or where a user is not with a token"
        ) { configuration, words throws(ValueError) in
            configuration.forwardedFields = words == [off] ? [] : try words.map(forwardableName)
        },
        toggle(
            "other", \.servesOther, ("on", "refuse"),
            why: "paths outside of /v1/: forwarded with the token of the proxy, or answered 404 here (refuse)"),
    ]

    private static let credentials = [
        file(
            "developer_token_file", \.developerTokenFile, .secret(.token),
            why: "a ready developer token (JWT); or let Refrain sign its own with the three lines below"),
        file(
            "developer_key_file", \.developerKeyFile, .secret(.signingKey),
            why: "the MusicKit private key (.p8) that developer tokens are signed with"),
        identifier("developer_key_id", \.developerKeyID, why: "the identifier of that key"),
        identifier("developer_team_id", \.developerTeamID, why: "the team that the key belongs to"),
        value(
            "developer_token_lifetime", "DURATION", \.developerTokenLifetime, standard: "12h",
            why: "how long a signed token is valid; renewed in time; Apple allows 15777000s at most"
        ) { word throws(ValueError) in
            let lifetime = try Quantity.duration(word)
            let allowed = DeveloperTokenSigner.lifetimes
            guard lifetime >= .seconds(allowed.lowerBound), lifetime <= .seconds(allowed.upperBound) else {
                throw ValueError(word, isNot: "between \(allowed.lowerBound)s and \(allowed.upperBound)s")
            }
            return lifetime
        },
        file(
            "music_user_token_file", \.musicUserTokenFile, .secret(.token),
            why: "sent on /v1/me when the client brings no token of its own"),
        file(
            "client_keys_file", \.clientKeysFile, .secret(.clientKeys),
            why:
                "one \"name key\" a line, 1 MiB at most, a rate such as 50/s after it or none; clients then present a key as bearer token or X-Refrain-Key"
        ),
    ]

    private static let storage = [
        file(
            "cache_file", \.cacheFile, .cache, standard: "refrain.sqlite", needsRestart: true,
            why: "the SQLite file that outlives restarts; off keeps answers in memory only"),
        toggle(
            "cache_file_locked", \.endsWithoutCacheFile, ("exit", "memory"), needsRestart: true,
            why:
                "at the start, where another process uses cache_file: exit with 78, or go on with memory until it is free"
        ),
        value(
            "cache_check", "SIZE/s|off", \.cacheCheck, standard: "1MiB/s",
            why: "how fast cache_file is looked through for damage, behind everything else"
        ) { word throws(ValueError) in word == off ? 0 : try Quantity.sizeRate(word) },
        // Room is set aside at the start.
        size(
            "cache_size", \.cacheSize, standard: "1GiB", needsRestart: true, why: "the most that cache_file may hold"),
        size(
            "memory_size", \.memorySize, standard: "64MiB", minimum: 0, needsRestart: true,
            why: "the most that is kept ready in memory"),
        Directive(
            "ttl", "CLASS DURATION|upstream|off [stale DURATION]",
            defaults: [
                "catalog 1d stale 7d", "charts 15m stale 1d", "search 1h stale 1d", "storefronts 7d", "not-found 1m",
                "bad-request 1m", "personal off", "other upstream",
            ],
            repetition: .perFirstArgument,
            why: "how long answers are fresh, and then still of use; repeats; a type such as albums may have its own",
            details:
                "upstream: as the headers of the origin say (RFC 9111). off: never stored. stale: for so long after that the "
                + "old answer is served while a new one is fetched. CLASS is one of \(TTLClass.names.joined(separator: ", ")); "
                + "catalog stands in for types that have no line."
        ) { configuration, words throws(ValueError) in
            guard TTLClass.names.contains(words[0]) else {
                throw ValueError(words[0], isNot: "a class" + Suggestion.text(for: words[0], in: TTLClass.names))
            }
            configuration.ttl[words[0]] = try TTLRule(words: words[1...])
        },
        value(
            "ttl_speed", "N", \.ttlSpeed, standard: "1",
            why:
                "for replays at N times the pace: answers are fresh, and then of use, for an Nth of the time; 1 in service"
        ) { word throws(ValueError) in try Quantity.count(word, in: 1...1000) },
    ]

    private static let answers = [
        choice(
            "compose", \.composition.compose, standard: .on,
            why: "answers built from stored resources; verify serves the origin's and compares"),
        value(
            "verify_sample", "SHARE%|off", \.verifySample, standard: "1%",
            why: "share of composed answers to compare with the origin's, in the background, while the budget has room",
            details: "An answer that differs is older where the origin has revised a part, and wrong where it "
                + "has not. A wrong one is logged, counted by refrain_verify_mismatches_total, and nothing "
                + "more is composed in its form for as long as its class lives."
        ) { word throws(ValueError) in word == off ? 0 : try millionths(word) },
        toggle(
            "windows", \.composition.windows,
            why: "pages out of other stored pages, and the largest pages for clients that walk through a list"),
        toggle(
            "batch", \.composition.batch,
            why: "misses of a moment joined into one ids request; a lone one never waits"),
        toggle(
            "superset_includes", \.composition.supersets,
            why: "misses ask for the relationships and views that other clients often want too, where that pays"),
        choice(
            "documented_forms", \.documentedForms, standard: .auto,
            why: "answers built in forms that are documented but were not seen; auto: of Apple's own host alone"),
        toggle(
            "next", \.composition.completesNext, ("keep", "complete"), first: false,
            why: "keep leaves \"next\" as the origin wrote it; complete adds the client's own parameters"),
        Directive(
            "cors_origin", "ORIGIN ...", defaults: ["*"],
            why:
                "web pages that may read the answers: https://app.example.com, https://*.example.com, capacitor://localhost; "
                + "off for none"
        ) { configuration, words throws(ValueError) in
            configuration.corsOrigins = words == [off] ? [] : try words.map(PageOriginText.normal)
        },
        Directive(
            "cors_headers", "NAME ...", defaults: ["*"],
            why: "request fields of their own that web pages may send, such as X-App-Version; off for none"
        ) { configuration, words throws(ValueError) in
            for word in words where word != "*" && !PlainWord.isOne(word, with: "-_", upTo: 64) {
                throw ValueError(word, isNot: "the name of a field")
            }
            configuration.corsHeaders = words == [off] ? [] : words
        },
    ]

    private static let operation = [
        Directive(
            "access_log", "FILE|stdout|stderr|off [json|combined]", defaults: ["stdout combined"],
            why: "one line a request; the file is reopened on SIGUSR1"
        ) { configuration, words throws(ValueError) in
            let destination = try AccessLogSetting.Destination(words[0])
            let format = words.count == 1 ? .combined : try AccessLogSetting.Format(choice: words[1])
            configuration.accessLog = AccessLogSetting(destination: destination, format: format)
        },
        choice("log_level", \.logLevel, standard: .info, why: "how much goes to standard error"),
        Directive(
            "record", "FILE [off] [sample SHARE%] [size SIZE] [files N]",
            why: "the traffic that is served, for replays; off: not until it is switched on (refrain record on)",
            details:
                "sample: the share of requests that is recorded, all without it. size: when the file and FILE.bodies take more "
                + "together, they become FILE.1 (256MiB). files: how many are kept, the oldest goes first (4). No token, key, "
                + "cookie or address is ever in it, and nothing of what is one user's but that it was asked for. The file is "
                + "reopened on SIGUSR1."
        ) { configuration, words throws(ValueError) in
            // As for all files that may be left out.
            configuration.recording = words == [off] ? nil : try RecordingLine(words: words)
        },
        value(
            "workers", "N|auto", \.workers, standard: "auto", needsRestart: true,
            why: "event loops; auto: one for each processor that the process may use"
        ) { word throws(ValueError) in word == "auto" ? nil : try Quantity.count(word, in: 1...1024) },
        Directive(
            include, "FILE", repetition: .adds, why: "reads another file here; relative to this one; repeats"
        ) { _, _ in },
    ]

    /// Carried out by the reader, before any directive is applied.
    static let include = "include"

    /// `text` where it is a token, and a client's field of that name can go along.
    private static func forwardableName(_ text: String) throws(ValueError) -> String {
        let name = Array(text.utf8)
        guard !name.isEmpty, name.span.isToken(0..<name.count) else { throw ValueError(text, isNot: "a field name") }
        guard NamedFields.canGoAlong(text) else {
            throw ValueError(text, isNot: "a field that can go along: it is a secret, or the proxy writes it itself")
        }
        return text
    }
}
