import AppleMusic
import EventLoop
import Proxy
import Text
import Upstream

/// Requests sent to the origin, by class, by purpose, by client and by route. All are counted, none
/// is estimated.
struct SpendingReport {
    typealias Window = CountWindow<SpendingCounts>

    /// The name of one or more keys.
    struct Name: Hashable {
        let text: String
        /// For clients alone: `key`, `network`, `socket`, `proxy` or `others`, which are networks.
        var kind: String?
    }

    struct Row {
        let name: Name
        let sinceStart: Int
        let now: Int
        let windows: [HistoryWindow: Int]
    }

    private let counts: SpendingCounts
    private let now: Window
    private let windows: [HistoryWindow: Window]
    /// Made once: `/stats`, the page and `/metrics` each go through them several times.
    private let rowsByAxis: [SpendingAxis: [Row]]

    init(
        _ counts: SpendingCounts = SpendingCounts(), now: Window = Window(counts: SpendingCounts()),
        _ windows: [HistoryWindow: Window] = [:],
        _ name: @escaping (SpendingKey) -> Name = { _ in Name(text: "") }
    ) {
        (self.counts, self.now, self.windows) = (counts, now, windows)
        rowsByAxis = SpendingAxis.allCases.reduce(into: [:]) { rows, axis in
            func named(_ counts: SpendingCounts) -> [Name: Int] {
                counts.counts(by: axis).reduce(into: [:]) { $0[name($1.key), default: 0] += $1.value }
            }
            let (recent, within) = (named(now.counts), windows.mapValues { named($0.counts) })
            rows[axis] = named(counts).map { name, count in
                Row(name: name, sinceStart: count, now: recent[name] ?? 0, windows: within.mapValues { $0[name] ?? 0 })
            }.sorted { ($1.sinceStart, $0.name.text) < ($0.sinceStart, $1.name.text) }
        }
    }

    /// By class and purpose, since the start.
    var pairs: [(resourceClass: ResourceClass, purpose: UpstreamPurpose, count: Int)] { counts.pairs }

    /// The rows of an axis, the largest since the start first.
    func rows(_ axis: SpendingAxis) -> [Row] { rowsByAxis[axis] ?? [] }

    /// The rows that have anything in the window, the largest there first.
    func rows(_ axis: SpendingAxis, in window: HistoryWindow) -> [Row] {
        rows(axis).filter { $0.windows[window] ?? 0 > 0 }
            .sorted { $0.windows[window] ?? 0 > $1.windows[window] ?? 0 }
    }

    /// The total of the window.
    func total(_ window: HistoryWindow) -> Int { windows[window]?.counts.total ?? 0 }

    /// Requests of a row in a second, now.
    func perSecond(_ row: Row) -> Double { now.perSecond(row.now) }

    /// `{"windows":{"now":{"seconds":5.0,"requests":2},...},"class":[{"name":"songs",...},...],...}`
    var json: JSON {
        func json(_ window: Window?) -> JSON {
            let seconds = window?.seconds ?? 0
            return [
                "seconds": .number(String((seconds * 10).rounded() / 10)),
                "requests": .integer(window?.counts.total ?? 0),
            ]
        }
        let spans = [("now", json(now))] + HistoryWindow.allCases.map { ($0.rawValue, json(windows[$0])) }
        let axes = SpendingAxis.allCases.map { ($0.rawValue, JSON.array(rows($0).map(\.json))) }
        return .object(pairs: [("windows", .object(pairs: spans))] + axes)
    }
}

extension SpendingReport.Row {
    fileprivate var json: JSON {
        let kind = name.kind.map { [("kind", JSON.string($0))] } ?? []
        let spans = HistoryWindow.allCases.map { ($0.rawValue, windows[$0] ?? 0) }
        let counts = [("since_start", sinceStart), ("now", now)] + spans
        return .object(pairs: [("name", .string(name.text))] + kind + counts.map { ($0, .integer($1)) })
    }
}

extension StatisticsSource {
    /// Names the keys of `spending` as of now. Words for people contain a space, which no name of a
    /// client does.
    var spendingNames: (SpendingKey) -> SpendingReport.Name {
        let names = Dictionary(clients().map { (UpstreamParty.client($0.name), $0.name) }) { one, _ in one }
        return { key in
            switch key {
            case .resourceClass(let resourceClass): SpendingReport.Name(text: resourceClass.name)
            case .purpose(let purpose): SpendingReport.Name(text: purpose.name)
            case .route(let number): SpendingReport.Name(text: RouteTemplate.texts[number])
            case .client(.network(let number)):
                SpendingReport.Name(text: SocketAddress.text(ofNetwork: number), kind: "network")
            case .client(.everyone): SpendingReport.Name(text: "Unix sockets", kind: "socket")
            case .client(.background): SpendingReport.Name(text: "Refrain itself", kind: "proxy")
            case .client(let party): SpendingReport.Name(text: names[party] ?? "removed keys", kind: "key")
            case .otherNetworks: SpendingReport.Name(text: "other networks", kind: "others")
            }
        }
    }
}
