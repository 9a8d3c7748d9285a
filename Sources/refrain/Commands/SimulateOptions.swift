/// What `simulate` was asked for.
struct SimulateOptions: Equatable, Sendable {
    /// `KIND[:RATE]`; which kinds there are is the simulator's to say.
    struct Fault: Equatable, Sendable {
        let kind: String
        /// The share of requests it befalls, in millionths; without a rate every request.
        let perMillion: Int
    }

    let listen: HostPort
    /// A file or a directory whose answers are served instead of made-up ones.
    let recording: String?
    let seed: UInt64?
    /// Added to every answer.
    let latency: Duration
    let faults: [Fault]
    /// Whether a request needs a developer token.
    let requiresAuthorization: Bool
    /// Serve TLS; the certificate of the throw-away authority is written here.
    let tlsAuthorityFile: String?
    /// PEM: developer tokens must carry this key's signature.
    let publicKeyFile: String?

    init(_ arguments: CommandArguments) throws(CommandFailure) {
        listen = try arguments.parsed(Self.listen, HostPort.init) ?? HostPort(host: "127.0.0.1", port: 8090)
        recording = arguments.value(Self.recording)
        seed = try arguments.parsed(Self.seed) { text throws(ValueError) in
            guard let seed = UInt64(text) else { throw ValueError(text, isNot: "a whole number") }
            return seed
        }
        latency =
            try arguments.parsed(Self.latency) { text throws(ValueError) in
                Duration.milliseconds(try Quantity.count(text, in: 0...3_600_000))
            } ?? .zero
        do throws(ValueError) {
            faults = try arguments.all(Self.fault).map(Fault.init)
        } catch {
            throw .usage("--\(Self.fault.name): \(error.message)")
        }
        requiresAuthorization = !arguments.has(Self.noAuth)
        tlsAuthorityFile = arguments.value(Self.tlsAuthority)
        publicKeyFile = arguments.value(Self.publicKey)
    }
}

extension SimulateOptions.Fault {
    /// Reads `KIND` or `KIND:RATE`, the rate a share from 0 to 1 with at most six decimals.
    init(_ text: String) throws(ValueError) {
        let wanted = "KIND or KIND:RATE with a rate from 0 to 1, such as 503:0.1"
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isWord = parts[0].utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isWord, !parts[0].isEmpty else { throw ValueError(text, isNot: wanted) }
        kind = String(parts[0])
        guard parts.count == 2 else {
            perMillion = 1_000_000
            return
        }
        let digits = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = digits.count == 2 ? digits[1] : "0"
        let areDigits = [digits[0], fraction].allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard areDigits, let whole = Int(digits[0]), (1...6).contains(fraction.count), let part = Int(fraction) else {
            throw ValueError(text, isNot: wanted)
        }
        let scale = (0..<(6 - fraction.count)).reduce(1) { scale, _ in scale * 10 }
        guard whole == 0 || (whole == 1 && part == 0) else { throw ValueError(text, isNot: wanted) }
        perMillion = whole * 1_000_000 + part * scale
    }
}

extension SimulateOptions {
    static let listen = CommandOption("listen", "ADDRESS:PORT", "where it listens (127.0.0.1:8090)")
    static let recording = CommandOption("recording", "FILE", "serve this index.jsonl, or the directory that holds one")
    static let seed = CommandOption("seed", "N", "the same number makes the same catalog and the same faults")
    static let latency = CommandOption("latency", "MS", "milliseconds added to every answer (0)")
    static let fault = CommandOption(
        "fault", "KIND[:RATE]", isRepeatable: true,
        "429, 500, 503, 504, reset, truncate or slow, for which share of the requests (1)")
    static let noAuth = CommandOption("no-auth", "answer requests without a developer token too")
    static let tlsAuthority = CommandOption(
        "tls-authority", "FILE", "serve TLS and write the certificate of its throw-away authority to FILE")
    static let publicKey = CommandOption("public-key", "FILE", "accept only developer tokens signed by this key (PEM)")

    static let all = [listen, recording, seed, latency, fault, noAuth, tlsAuthority, publicKey]
}

extension Command {
    static let simulate = Command(
        "simulate", "run the simulated Apple Music API alone, or serve a recording as one",
        options: SimulateOptions.all
    ) { arguments, context throws(CommandFailure) in
        try runSimulate(SimulateOptions(arguments), context)
    }
}
