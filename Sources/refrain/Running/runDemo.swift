import AppleMusic
import EventLoop
import Glibc
import Proxy
import Server
import Simulator
import Text

/// Runs the simulated API and a proxy in front of it until it is told to stop: no credentials, no
/// files.
///
/// The key that signs the developer tokens is made for this run; the simulated API checks its
/// signatures.
func runDemo(_ options: DemoOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    let signals = StopSignals()
    let demo = try Demo(options, context)
    context.output.standard(demo.greeting)
    signals.wait()
    // A second signal is heard too.
    _ = signals.wait(for: demo.stop, atMost: .seconds(15))
    return .done
}

/// Both servers of a demonstration.
struct Demo {
    private let origin: ServiceHost
    let proxy: RunningProxy
    private let sample: String

    init(_ options: DemoOptions, _ context: CommandContext) throws(CommandFailure) {
        let tokens: DeveloperTokens
        let api: SimulatedAPI
        do {
            let key = try SigningKey(pem: SigningKey.generatePEM())
            let signer = try DeveloperTokenSigner(
                key: key, keyID: "DEMOKEY123", teamID: "DEMOTEAM12", lifetime: 12 * 3600)
            tokens = try DeveloperTokens(signer: signer, at: Int64(time(nil)))
            api = SimulatedAPI(verifier: try TokenVerifier(publicKeyOf: key).developerTokenCheck)
            origin = try ServiceHost(
                label: "simulator",
                listener: ListenerSettings(address: HostPort(host: "127.0.0.1", port: 0).socketAddress(), tls: nil)
            ) { context in SimulatorService(api, context: context) }
        } catch {
            throw .failed("demo: \(error)")
        }
        var configuration = try Demo.configuration(origin: origin.address, options)
        configuration.accessLog = AccessLogSetting(destination: .off, format: .combined)
        let log = OperationalLog(level: .info, context.output.error)
        proxy = try RunningProxy(configuration, log, developer: tokens)
        sample = Demo.albumOnTheChart(of: api, with: tokens)
    }

    var greeting: String {
        let base = "http://\(proxy.addresses.first.map(String.init(describing:)) ?? "")"
        let admin = proxy.adminAddress.map { "http://\($0)" } ?? ""
        return """
            Refrain is running in front of a simulated Apple Music API. Try, and try again:

              curl -i '\(base)/v1/catalog/us/albums/\(sample)'
              curl -i '\(base)/v1/catalog/us/albums/\(sample)?include=artists'
              curl -i '\(base)/v1/catalog/us/charts?types=albums&limit=3'
              curl -i '\(base)/v1/catalog/gb/search?term=moon&types=songs,artists'
              curl -i '\(base)/v1/me/library/songs' -H 'Music-User-Token: user-anna'
              curl '\(admin)/stats'

            Cache-Status says what the cache did. Watch it in a browser: \(admin)/
            Control-C stops.

            """
    }

    func stop(_ completion: @escaping @Sendable (_ cutOff: Int) -> Void) {
        proxy.stop { [origin] cutOff in
            origin.stop()
            completion(cutOff)
        }
    }

    /// An album that is sure to be there, for the URLs to try.
    private static func albumOnTheChart(of api: SimulatedAPI, with tokens: DeveloperTokens) -> String {
        let now = Int64(time(nil))
        let token = tokens.current(at: now).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let response = api.respond(
            to: SimulatorRequest(
                target: Array("/v1/catalog/us/charts?types=albums&limit=20".utf8),
                fields: [SimulatorField("Authorization", "Bearer " + token)], nowUnixSeconds: now))
        let chart = (try? JSON.parse(response.body))?["results"]?["albums"]?[0]
        guard case .string(let id) = chart?["data"]?[0]?["id"] else { return "1" }
        return id
    }

    /// The defaults, memory only, with the simulated API as upstream.
    private static func configuration(
        origin: SocketAddress, _ options: DemoOptions
    ) throws(CommandFailure) -> Configuration {
        var configuration: Configuration
        do throws(ConfigurationErrors) {
            configuration = try ConfigurationReader.standard().configuration
        } catch {
            throw .configuration(error.errors)
        }
        configuration.upstream = ServerURL(isTLS: false, host: origin.host, port: origin.port)
        configuration.cacheFile = nil
        if let listen = options.listen {
            configuration.listeners = [ListenAddress(address: listen, isTLS: false)]
            // A demonstration on a port of its own leaves the standard admin port to the process
            // that has it.
            configuration.adminListener = .tcp(HostPort(host: "127.0.0.1", port: 0))
        }
        return configuration
    }
}
