// The storefronts of the simulated API. Named `Market` so that it cannot be taken for AppleMusic's
// `Storefront`.

/// The codes of the simulated API's storefronts.
public enum SimulatedStorefronts {
    public static let codes = Market.all.map(\.code)
}

/// A storefront: its code, its name and its language tags, the default first.
struct Market: Sendable, Equatable {
    let index: Int
    let code: String
    let name: String
    let tags: [String]
    let explicitPolicy: String

    var defaultTag: String { tags[0] }

    /// The market of a two-letter code; nil is answered 400 (APPLE-MUSIC-API 8.7).
    init?(code: String) {
        guard let market = Self.byCode[code] else { return nil }
        self = market
    }

    private init(_ index: Int, _ row: (String, String, [String], String)) {
        self.index = index
        (code, name, tags, explicitPolicy) = row
    }

    /// The storefronts of the simulated API's users.
    static let home = ["us", "gb", "de", "fr", "jp"]

    /// In the order `/v1/storefronts` lists them.
    static let all: [Market] = rows.enumerated().map { Market($0.offset, $0.element) }

    private static let byCode: [String: Market] = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

    private static let rows: [(String, String, [String], String)] = [
        ("au", "Australia", ["en-AU", "en-GB"], "allowed"),
        ("at", "Austria", ["de-DE", "en-GB"], "allowed"),
        ("be", "Belgium", ["en-GB", "fr-FR", "nl"], "allowed"),
        ("br", "Brazil", ["pt-BR", "en-GB"], "opt-in"),
        ("ca", "Canada", ["en-CA", "fr-CA"], "allowed"),
        ("cn", "China mainland", ["zh-Hans-CN", "en-GB"], "allowed"),
        ("dk", "Denmark", ["en-GB", "da"], "allowed"),
        ("fi", "Finland", ["en-GB", "fi"], "allowed"),
        ("fr", "France", ["fr-FR", "en-GB"], "allowed"),
        ("de", "Germany", ["de-DE", "en-GB"], "allowed"),
        ("hk", "Hong Kong", ["zh-Hant-HK", "en-GB", "zh-Hant-TW"], "allowed"),
        ("in", "India", ["en-GB", "hi"], "opt-in"),
        ("ie", "Ireland", ["en-GB"], "allowed"),
        ("it", "Italy", ["it", "en-GB"], "opt-in"),
        ("jp", "Japan", ["ja", "en-US"], "allowed"),
        ("kr", "Korea, Republic of", ["ko", "en-GB"], "allowed"),
        ("mx", "Mexico", ["es-MX", "en-GB"], "allowed"),
        ("nl", "Netherlands", ["nl", "en-GB"], "allowed"),
        ("nz", "New Zealand", ["en-AU", "en-GB"], "allowed"),
        ("no", "Norway", ["en-GB", "nb"], "allowed"),
        ("pl", "Poland", ["en-GB", "pl"], "allowed"),
        ("pt", "Portugal", ["pt-PT", "en-GB"], "allowed"),
        ("za", "South Africa", ["en-GB"], "allowed"),
        ("es", "Spain", ["es-ES", "en-GB", "ca"], "allowed"),
        ("se", "Sweden", ["sv", "en-GB"], "allowed"),
        ("ch", "Switzerland", ["de-CH", "de-DE", "en-GB", "fr-FR", "it"], "opt-in"),
        ("tw", "Taiwan", ["zh-Hant-TW", "en-GB"], "allowed"),
        ("tr", "Turkey", ["en-GB", "tr"], "opt-in"),
        ("gb", "United Kingdom", ["en-GB"], "allowed"),
        ("us", "United States", ["en-US", "es-MX", "ar", "ru", "zh-Hans-CN"], "allowed"),
    ]
}

/// The languages in which names and notes differ.
enum Language: Int, Sendable {
    case english, german, french, japanese, spanish

    init(tag: String) {
        switch tag.prefix(2) {
        case "de": self = .german
        case "fr": self = .french
        case "ja": self = .japanese
        case "es": self = .spanish
        default: self = .english
        }
    }
}
