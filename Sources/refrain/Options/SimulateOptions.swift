import EventLoop
import Simulator

/// Purpose of a recording.
enum RecordingMode: String, CaseIterable, Sendable {
    case replay, record, fallback
}

/// Options of `simulate`.
struct SimulateOptions: Sendable {
    let listen: HostPort
    /// A file or a directory whose answers are served instead of made-up ones.
    let recording: String?
    let mode: RecordingMode
    /// The origin of the modes that ask one.
    let upstream: Endpoint?
    /// The delay of every answer of a recording; nil where none was given.
    let latency: Duration?
    /// The settings of the simulated API.
    let configuration: SimulatorConfiguration
    /// Serve TLS; the certificate of the throw-away authority is written here.
    let tlsAuthorityFile: String?
    /// PEM: developer tokens must carry this key's signature.
    let publicKeyFile: String?

    init(_ arguments: CommandArguments) throws(CommandFailure) {
        listen = try arguments.parsed(Self.listen, or: "127.0.0.1:8090", HostPort.init(_:))
        recording = arguments.value(Self.recording)
        mode = try arguments.parsed(Self.mode, RecordingMode.init(choice:)) ?? .replay
        upstream = try arguments.parsed(Self.upstream, Endpoint.init(url:))
        configuration = try SimulatorConfiguration(arguments)
        latency = arguments.value(Self.latency) == nil ? nil : configuration.latency
        tlsAuthorityFile = arguments.value(Self.tlsAuthority)
        publicKeyFile = arguments.value(Self.publicKey)
        if recording != nil { try Self.refuseBesideRecording(arguments) }
        guard recording != nil || (mode == .replay && upstream == nil) else {
            throw .usage("simulate: --mode and --upstream require --recording FILE")
        }
        guard (mode == .replay) == (upstream == nil) else {
            throw .usage(
                mode == .replay
                    ? "simulate: --upstream requires --mode record or fallback"
                    : "simulate: --mode \(mode.rawValue) requires --upstream URL")
        }
    }

    /// Refuses options that shape the simulated API. A user who gives one beside a recording
    /// expects something of it.
    private static func refuseBesideRecording(_ arguments: CommandArguments) throws(CommandFailure) {
        let shaping = [
            seed, fault, reviseEvery, revisionShare, flipAfter, lists, listSizes, gaps, unavailable, relations,
            publicKey,
        ]
        for option in shaping where arguments.value(option) != nil {
            throw .usage(
                "simulate: --\(option.name) cannot be combined with --recording, which replaces the simulated API")
        }
    }
}

extension SimulatorConfiguration {
    fileprivate init(_ arguments: CommandArguments) throws(CommandFailure) {
        typealias Options = SimulateOptions
        self.init()
        seed =
            try arguments.parsed(Options.seed) { text throws(ValueError) in
                guard let seed = UInt64(text) else {
                    throw ValueError(text, isNot: "a whole number from 0 to \(UInt64.max)")
                }
                return seed
            } ?? seed
        latency = .milliseconds(try arguments.count(Options.latency, in: 0...3_600_000) ?? 0)
        try attempt("--\(Options.fault.name)", or: CommandFailure.usage) {
            for text in arguments.all(Options.fault) { try addFault(text) }
        }
        reviseEvery = try arguments.count(Options.reviseEvery, in: 0...1_000_000_000) ?? 0
        traits.revisionShare = try arguments.count(Options.revisionShare, in: 1...500)
        flipAfter = try arguments.count(Options.flipAfter, in: 0...1_000_000_000) ?? 0
        listCut = try arguments.parsed(Options.lists, ListCut.init(choice:)) ?? listCut
        traits.listSizes = try arguments.parsed(Options.listSizes, ListSizes.init(choice:)) ?? traits.listSizes
        relationHabit = try arguments.parsed(Options.relations, RelationHabit.init(choice:)) ?? relationHabit
        storefrontsWithGaps = try arguments.parsed(Options.gaps, Self.storefronts) ?? nil
        (traits.unavailablePercent, traits.unavailableOneIn) =
            try arguments.parsed(Options.unavailable, Self.unavailableShare) ?? (nil, nil)
        requiresAuthorization = !arguments.has(Options.noAuth)
    }

    /// Storefronts in whose lists unavailable items leave gaps: `all`, `none`, or codes with commas
    /// between; nil for all.
    private static func storefronts(_ text: String) throws(ValueError) -> Set<String>? {
        if text == "all" || text == "none" { return text == "all" ? nil : [] }
        let codes = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        guard codes.isSubset(of: SimulatedStorefronts.codes) else {
            throw ValueError(text, isNot: "all, none or storefronts such as jp,de")
        }
        return codes
    }

    /// A percentage of albums and songs such as `3`, or a fraction of all items such as `1/300`.
    private static func unavailableShare(_ text: String) throws(ValueError) -> (percent: Int?, oneIn: Int?) {
        text.hasPrefix("1/")
            ? (nil, try Quantity.count(String(text.dropFirst(2)), in: 2...1_000_000))
            : (try Quantity.count(text, in: 0...100), nil)
    }
}

extension SimulateOptions {
    static let listen = CommandOption("listen", "ADDRESS:PORT", "address to listen on (127.0.0.1:8090)")
    static let recording = CommandOption(
        "recording", "FILE", "serve a recording, a HAR file, or an index.jsonl (or its directory)")
    static let mode = CommandOption(
        "mode", "MODE",
        "replay: the recording alone (the default); record: ask --upstream and record; fallback: the recording where --upstream fails"
    )
    static let upstream = CommandOption("upstream", "URL", "the origin for --mode record or fallback")
    static let seed = CommandOption(
        "seed", "N",
        "seed of the catalog and the faults; the same seed gives the same results")
    static let latency = CommandOption(
        "latency", "MS",
        "milliseconds added to every answer (0); with --recording, the delay of every answer (as recorded)")
    static let fault = CommandOption(
        "fault", "KIND[:RATE]", isRepeatable: true,
        "429, 500, 503, 504, reset, truncate or slow, for this share of the requests (1); limit:N/s: 429 above N "
            + "requests a second"
    )
    static let reviseEvery = CommandOption(
        "revise-every", "N", "change some names, lists and availabilities after every N requests (0: never)")
    static let revisionShare = CommandOption(
        "revision-share", "N",
        "change N of 1000 albums, songs, artists and playlists at each revision (default: about one in four)")
    static let flipAfter = CommandOption(
        "flip-after", "N", "change the shapes of includes and links once, after N requests (0: never)")
    static let lists = CommandOption(
        "lists", "HOW",
        "how pages are cut: first, dropping unavailable items afterwards (the default), or filling, up to the limit")
    static let gaps = CommandOption(
        "gaps", "STOREFRONTS",
        "storefronts in whose lists unavailable items leave gaps: all (the default), none, or codes such as jp,de")
    static let unavailable = CommandOption(
        "unavailable", "SHARE",
        "share of items unavailable in a storefront: a percentage of albums and of songs (5), or one item in N of all "
            + "types (1/300)"
    )
    static let listSizes = CommandOption(
        "list-sizes", "SIZES",
        "length of discographies and playlists: standard (the default), or recorded (as in recordings)"
    )
    static let relations = CommandOption(
        "relations", "HABIT",
        "relationships that resources have by default: documented (the default), bare, identifiers, genres, replaced "
            + "or alone"
    )
    static let noAuth = CommandOption("no-auth", "answer requests without a developer token too")
    static let tlsAuthority = CommandOption(
        "tls-authority", "FILE", "serve TLS and write the certificate of its throw-away authority to FILE")
    static let publicKey = CommandOption("public-key", "FILE", "accept only developer tokens signed by this key (PEM)")

    static let all = [
        listen, recording, mode, upstream, seed, latency, fault, reviseEvery, revisionShare, flipAfter, lists,
        listSizes, gaps, unavailable, relations, noAuth, tlsAuthority, publicKey,
    ]
}
