import AppleMusic
import EventLoop
import Glibc
import Proxy
import Server
import Simulator

/// Runs the simulated API and a proxy in front of it until it is told to stop: no credentials, no
/// files.
///
/// The key that signs the developer tokens is made for this run; the simulated API checks its
/// signatures.
func runDemo(_ listen: HostPort?, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    let signals = StopSignals()
    let demo = try Demo(on: listen, context)
    context.output.standard(demo.greeting)
    signals.wait()
    // A second signal is heard too.
    _ = signals.depart(Departure(within: .seconds(15), at: .now()), by: demo.stop)
    return .done
}

/// The two servers of a demonstration.
struct Demo {
    private let origin: ServiceHost
    let proxy: RunningProxy

    /// - Parameter listen: where the proxy listens; nil: the default of `listen`.
    init(on listen: HostPort?, _ context: CommandContext) throws(CommandFailure) {
        let tokens: DeveloperTokens
        do {
            let key = try SigningKey(pem: SigningKey.generatePEM())
            let signer = try DeveloperTokenSigner(
                key: key, keyID: "DEMOKEY123", teamID: "DEMOTEAM12", lifetime: 12 * 3600)
            tokens = try DeveloperTokens(signer: signer, at: Int64(time(nil)))
            let api = SimulatedAPI(verifier: try TokenVerifier(publicKeyOf: key).developerTokenCheck)
            origin = try ServiceHost(
                label: "simulator", listener: ListenerSettings(address: HostPort("127.0.0.1:0").address, tls: nil)
            ) { context in SimulatorService(api, context: context) }
        } catch {
            throw .failed("demo: \(error)")
        }
        var configuration = try Demo.configuration(origin: origin.address, listen)
        configuration.accessLog = AccessLogSetting(destination: .off, format: .combined)
        let log = OperationalLog(level: .info, context.output.error)
        proxy = try RunningProxy(configuration, log, developer: tokens)
    }

    var greeting: String {
        let base = "http://\(proxy.addresses.first.map(String.init(describing:)) ?? "")"
        let admin = proxy.adminAddress.map { "http://\($0)" } ?? ""
        let lines = Self.tour.map { "  curl -i '\(base)\($0.target)'\n      # \($0.shows)" }.joined(separator: "\n")
        return """
            Refrain is running in front of a simulated Apple Music API. Try these in their order, and look at
            Cache-Status, which says what the cache did:

            \(lines)
              curl -i '\(base)/v1/me/library/songs' -H 'Music-User-Token: user-anna'
              curl '\(admin)/stats'

            Watch it in a browser: \(admin)/, or in a terminal: refrain top --admin \(admin)
            Control-C stops.

            """
    }

    func stop(_ completion: @escaping @Sendable (_ cutOff: Int) -> Void) {
        proxy.stop { [origin] cutOff in
            origin.stop()
            completion(cutOff)
        }
    }

    /// Requests to try in this order, and words of `Cache-Status` then: a hit, an answer cut from a
    /// larger one, a list of single answers, and a page. The simulated catalog is always the same.
    static let tour: [(target: String, shows: String)] = {
        let (first, second) = ("1400751200", "1403918000")
        let catalog = "/v1/catalog/us"
        let tracks = catalog + "/playlists/pl.afbc0316b335c05338684cbe220cf9b0/tracks"
        return [
            (catalog + "/albums/" + first, "fwd=uri-miss"), (catalog + "/albums/" + first, "hit"),
            (catalog + "/albums/\(first)?include=artists", "fwd=uri-miss"),
            (catalog + "/albums/\(second)?include=artists", "fwd=uri-miss"),
            (catalog + "/albums/" + second, "detail=reduced"),
            (catalog + "/albums?ids=\(first),\(second)", "fwd=uri-miss"),
            (catalog + "/albums?ids=\(first),\(second),1", "fwd=partial"),
            (tracks + "?limit=20", "fwd=uri-miss"), (tracks + "?limit=5", "detail=window"),
        ]
    }()

    private static func configuration(
        origin: SocketAddress, _ listen: HostPort?
    ) throws(CommandFailure) -> Configuration {
        var configuration = try ConfigurationReader.standard().configuration
        configuration.upstream = Endpoint(isTLS: false, host: origin.host, port: origin.port)
        configuration.cacheFile = nil
        if let listen {
            configuration.listeners = listen.all.map { ListenAddress(address: $0, isTLS: false) }
            // A demonstration on a port of its own leaves the standard admin port to the process
            // that has it.
            configuration.adminListener = try? HostPort("127.0.0.1:0")
        }
        return configuration
    }
}
