import AppleMusic
import Compose
import EventLoop
import Freshness
import Proxy
import Recording
import Server
import Upstream

// The settings of the program as values; `Directive.table` says how each is written and its
// default.

/// The settings of one run. The files that they name may hold something else the next time they are
/// read.
struct Configuration: Equatable, Sendable {
    var listeners: [ListenAddress] = []
    var tlsCertificateFile: String?
    var tlsCertificateKeyFile: String?
    /// Whether clients may choose HTTP/2 where they speak TLS.
    var http2 = true
    /// Nil: no admin listener.
    var adminListener: HostPort?
    var adminTokenFile: String?
    /// Nil: as many as there may be in all.
    var connectionsPerAddress: Int?
    /// None: no field names the client.
    var trustedProxies: [AddressRange] = []
    /// Bytes.
    var requestMemory = 0
    /// Bytes.
    var answerMemory = 0
    var clientTimeouts = ClientTimeouts()

    var upstream = Endpoint(isTLS: true, host: "", port: 0)
    var upstreamCAFile: String?
    var upstreamConnections = 0
    /// Requests a second; nil: limited only by the origin's 429 answers.
    var upstreamRate: Int?
    var upstreamTimeouts = UpstreamTimeouts()
    /// Whether requests for paths outside of `/v1/` go to the origin; else they are answered 404.
    var servesOther = true

    var developerTokenFile: String?
    var developerKeyFile: String?
    var developerKeyID: String?
    var developerTeamID: String?
    var developerTokenLifetime = Duration.zero
    var musicUserTokenFile: String?
    var clientKeysFile: String?
    /// Names of fields that gateways set and clients could; mostly none.
    var forwardedFields: [String] = []

    /// Nil: memory only.
    var cacheFile: String?
    /// Whether the program ends where another process uses the cache file; else it goes on from
    /// memory, and uses the file once that is free.
    var endsWithoutCacheFile = true
    /// Bytes a second; 0: only requested answers are checked.
    var cacheCheck = 0
    /// Bytes.
    var cacheSize = 0
    /// Bytes.
    var memorySize = 0
    /// By class name; every class that has a default is there.
    var ttl: [String: TTLRule] = [:]
    /// How many times as fast stored answers age.
    var ttlSpeed = 1

    /// Nil: this node is alone, or shares nothing with others.
    var sharedTier: TierURL?
    var sharedTierAuthFile: String?
    var sharedTierCAFile: String?
    var sharedTierName = ""
    var sharedTierTimeout = Duration.zero
    /// Nil: the host's name.
    var writtenNodeName: String?

    /// Settings of composition as far as directives say them: the rest depends on other directives.
    var composition = CompositionSettings()
    /// How many of a million composed answers are also asked for and compared.
    var verifySample = 0
    var documentedForms = DocumentedFormsMode.off
    /// `["*"]` for any; empty: no browser may read the answers.
    var corsOrigins: [String] = []
    /// `*` alone: any.
    var corsHeaders: [String] = []

    var healthPath: String?
    var accessLog = AccessLogSetting(destination: .off, format: .combined)
    var logLevel = LogLevel.info
    /// Nil: nothing can be recorded.
    var recording: RecordingLine?
    /// Nil: one for each processor that the process may use.
    var workers: Int?

    /// Blank, for `Directive`s to be applied to; `ConfigurationReader.standard` has the defaults.
    private init() {}

    /// Applies each line to a blank configuration. A line that is refused is reported and changes
    /// nothing.
    init(applying lines: [SettingLine], errors: inout [ConfigurationError]) {
        self.init()
        for line in lines {
            do throws(ValueError) {
                try line.directive.apply(&self, line.words)
            } catch {
                errors.append(
                    ConfigurationError(place: line.place, message: "\(line.directive.name): \(error.message)"))
            }
        }
    }

    /// The rule of a class of resources; catalog types without a line follow `catalog`.
    func ttl(for resourceClass: ResourceClass) -> TTLRule {
        ttl[resourceClass.name] ?? ttl[ResourceClass.catalog.name] ?? .off
    }
}

/// Whether larger answers are asked for in forms that the API is documented to have, before this
/// origin showed them.
enum DocumentedFormsMode: String, CaseIterable, Sendable {
    /// On if the origin is the API's own host.
    case auto
    case on, off
}

/// From the least to the most that is logged.
enum LogLevel: String, CaseIterable, Sendable {
    case error, warn, notice, info, debug
}

/// Destination of the access log, and the format of its lines.
struct AccessLogSetting: Equatable, Sendable {
    enum Destination: Equatable, Sendable {
        case off, standardOutput, standardError
        case file(String)

        /// Reads `FILE`, or one of the words that name no file.
        init(_ word: String) throws(ValueError) {
            let words = ["off": Self.off, "stdout": .standardOutput, "stderr": .standardError]
            guard !word.isEmpty else { throw ValueError("an empty file name") }
            if AccessLogSetting.Format(rawValue: word) != nil {
                throw ValueError(
                    "the format is the second argument, as in \"stdout \(word)\"; write ./\(word) for a "
                        + "file of that name")
            }
            if word.lowercased().hasPrefix("syslog:") || word.hasPrefix("|") || word == "-" {
                throw ValueError(
                    "\(quoted(word)) is not supported; use stdout or stderr to reach a journal or a log program, or "
                        + "write ./\(word) for a file of that name")
            }
            if words[word] == nil, words[word.lowercased()] != nil {
                throw ValueError(
                    "\(quoted(word)): did you mean \(quoted(word.lowercased()))? Write ./\(word) for a file of that "
                        + "name")
            }
            // A service whose output is a journal cannot open it by these names.
            let names = ["/dev/stdout": Self.standardOutput, "/dev/stderr": .standardError]
            self = words[word] ?? names[word] ?? .file(word)
        }
    }

    enum Format: String, CaseIterable, Sendable { case json, combined }

    let destination: Destination
    var format: Format
    /// nil: all requests.
    var selection: LogSelection?

    init(destination: Destination, format: Format, selection: LogSelection? = nil) {
        (self.destination, self.format, self.selection) = (destination, format, selection)
    }
}

/// Value of the directive `record`.
struct RecordingLine: Equatable, Sendable {
    var settings: RecordingSettings
    /// Whether recording begins with the program, or waits until it is switched on.
    var isOn: Bool

    /// `FILE`, and after it `off`, `sample SHARE%`, `size SIZE` and `files N` in any order, each
    /// once.
    init(words: [String]) throws(ValueError) {
        guard !words[0].isEmpty else { throw ValueError("an empty file name") }
        settings = RecordingSettings(path: words[0])
        isOn = true
        var seen: Set<String> = []
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            guard seen.insert(word).inserted else { throw ValueError("\(quoted(word)) is given twice") }
            switch word {
            case Directive.off: isOn = false
            case "sample": settings.sampling = try Quantity.share(Self.value(word, &rest))
            case "size": settings.mostBytes = try Quantity.size(Self.value(word, &rest), atLeast: Self.leastBytes)
            case "files": settings.mostFiles = try Quantity.count(Self.value(word, &rest), in: 1...1000)
            default: throw ValueError(word, isNot: "off, sample, size or files")
            }
        }
    }

    /// Room for some of the longest bodies.
    static let leastBytes = 64 << 10

    private static func value(_ word: String, _ rest: inout ArraySlice<String>) throws(ValueError) -> String {
        guard let value = rest.popFirst() else { throw ValueError("\(word) needs a value after it") }
        return value
    }
}
