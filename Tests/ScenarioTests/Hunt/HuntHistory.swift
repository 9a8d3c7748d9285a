/// The last answers of each URL, and the last events that all URLs share.
struct HuntHistory {
    private var number = 0
    private var answers: [HuntRequest: [(number: Int, text: String)]] = [:]
    private var events: [(number: Int, text: String)] = []

    private static let kept = 12

    mutating func note(_ request: HuntRequest, _ text: String) {
        number += 1
        answers[request] = (answers[request] ?? []).suffix(Self.kept - 1) + [(number, text)]
    }

    /// Notes an event that concerns all URLs.
    mutating func note(_ text: String) {
        number += 1
        events = events.suffix(4 * Self.kept - 1) + [(number, text)]
    }

    /// The answers of a URL, with the events since the first of them.
    func of(_ request: HuntRequest) -> [String] {
        let own = answers[request] ?? []
        let shared = events.filter { $0.number > own.first?.number ?? .max }
        return (own + shared).sorted { $0.number < $1.number }.map(\.text)
    }
}
