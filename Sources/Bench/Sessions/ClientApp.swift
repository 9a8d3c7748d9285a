import Text

/// The client apps of the traces. Their habits are those of clients in the wild
/// (APPLE-MUSIC-API 4.3, 7, 10.5): their differences keep a cache of URLs from sharing answers that
/// say the same.
///
/// |              | player            | web                     | tagger                 |
/// | ------------ | ----------------- | ----------------------- | ---------------------- |
/// | is           | a phone app       | a page in a browser     | a script that tags files |
/// | parameters   | from a dictionary, so in an order that differs from launch to launch | as written | alphabetical |
/// | commas       | bare              | `%2C`                   | `%2C`                  |
/// | spaces       | `%20`             | `+`                     | `+`                    |
/// | pages        | the default size, and follows `next` as it is | its own `limit=50` and `offset` | `limit=100` or 25, and its own `offset` |
/// | language     | never             | `l=en-GB` in Britain    | never                  |
/// | looks things up | one by one, with `include` | with `include`, some with `extend` | by `ids`, without and with `include` |
enum ClientApp: CaseIterable {
    case player, web, tagger

    /// The query of a request: the parameters in this app's order and spelling.
    ///
    /// - Parameter launch: differs from launch to launch.
    func query(_ parameters: [(name: String, value: String)], launch: UInt64) -> String {
        guard !parameters.isEmpty else { return "" }
        let ordered: [(name: String, value: String)]
        switch self {
        case .player: ordered = parameters.sorted { Self.hash($0.name, launch) < Self.hash($1.name, launch) }
        case .web: ordered = parameters
        case .tagger: ordered = parameters.sorted { $0.name < $1.name }
        }
        return "?" + ordered.map { escaped($0.name) + "=" + escaped($0.value) }.joined(separator: "&")
    }

    private func escaped(_ text: String) -> String {
        if self == .player { return PercentEncoding.encoded(text, keeping: "-._,") }
        return text.split(separator: " ", omittingEmptySubsequences: false).map {
            PercentEncoding.encoded(String($0), keeping: "-._")
        }.joined(separator: "+")
    }

    private static func hash(_ name: String, _ launch: UInt64) -> UInt64 {
        var numbers = SplitMix64(seed: name.utf8.reduce(launch) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        return numbers.next()
    }
}

/// Habits of a trace's clients beyond those of their app.
struct ClientHabits {
    /// How many of a hundred users live in Japan; of the others four in five in the United States,
    /// the rest in Britain.
    var inJapan = 0
    /// Whether apps that reckon offsets go on until there is nothing more, and do not look for
    /// `next`.
    var asksBlindly = false
    /// Whether the page in the browser asks for `views`.
    var selectsViews = false
    /// Whether the script asks for an id twice in one batch.
    var repeatsIDs = false
    /// Whether apps that reckon offsets follow `next` as it is, and so without their `limit`.
    var followsNext = false
    /// Whether apps ask for several views and several relationships at once, and for larger pages.
    var asksForMuch = false
    /// Whether all apps spell their requests in one way, so that a cache of URLs shares more.
    var spellsAlike = false
}
