import Foundation
import HTTP
import Server
import TestSupport
import Testing

/// Performs the cases of a group in order, with one proxy whose clock moves only in pauses.
final class ConformanceRunner {
    private let clock = ManualClock(1_795_255_200)  // 21 November 2026, 10:00
    private let origin: ConformanceOrigin
    private let proxy: ProxyUnderTest

    init() throws {
        origin = try ConformanceOrigin()
        proxy = try ProxyUnderTest(originPort: origin.port, timeOfDay: TimeOfDay { [clock] in clock.unixSeconds })
    }

    deinit {
        proxy.stop()
        origin.stop()
    }

    /// The mismatches of the first exchange that has any; empty when the case holds.
    func mismatches(_ conformanceCase: ConformanceCase, at url: String) -> [String] {
        let text = FieldText(start: clock.unixSeconds, url: url)
        var past: [SeenExchange] = []
        for step in conformanceCase.steps {
            switch step {
            case .pause(let seconds): clock.advance(seconds: seconds)
            case .exchange(let exchange):
                let number = past.count + 1
                let filled = text.filled(exchange, number)
                do {
                    let seen = try perform(filled, at: url)
                    past.append(seen)
                    let found = ExchangeCheck(past: past).mismatches
                    guard found.isEmpty else { return found.map { "exchange \(number): \($0) [\(seen.summary)]" } }
                } catch {
                    proxy.client.close()
                    return ["exchange \(number): \(error)"]
                }
            }
        }
        return []
    }

    private func perform(_ exchange: Exchange, at url: String) throws -> SeenExchange {
        origin.give(exchange.answer, below: url)
        let updates = self.updates
        let fields = exchange.request.map(ConformanceOrigin.parse).map { ($0.name, $0.value) }
        let reply = try proxy.client.send(
            exchange.method, url + exchange.path, fields: fields, body: exchange.content.map { Data($0.utf8) })
        if case .reusedWhileAsked = exchange.source { waitUntil { self.updates > updates } }
        return SeenExchange(exchange: exchange, reply: reply, requests: origin.requests(below: url))
    }

    /// The number of changes that the proxy has made to its stored answers.
    private var updates: Int { proxy.statistics[.stored] + proxy.statistics[.revalidated] }
}

/// One exchange as it was seen on both sides.
struct SeenExchange {
    let exchange: Exchange
    let reply: HTTPTestClient.Reply
    let requests: [ConformanceOrigin.Request]

    var summary: String {
        let asked = requests.map { "\($0.method) -> \($0.status.map(String.init) ?? "closed")" }
        return "\(reply.status) \(reply.field("Cache-Status") ?? ""); origin: \(asked)"
    }
}

/// Fills in dates and the path of the case.
private struct FieldText {
    let start: Int64
    let url: String

    func filled(_ exchange: Exchange, _ number: Int) -> Exchange {
        var result = exchange
        result.request = exchange.request.map(filled)
        result.details = exchange.details.map(filled)
        result.answer.fields = exchange.answer.fields.map(filled)
        result.answer.condition = exchange.answer.condition.map(filled)
        result.answer.content = exchange.answer.content ?? "answer \(number) of \(url)"
        return result
    }

    private func filled(_ detail: Detail) -> Detail {
        if case .field(let line) = detail { .field(filled(line)) } else { detail }
    }

    private func filled(_ line: String) -> String {
        line.replacingOccurrences(of: "<url>", with: url)
            .replacing(/<([+-][0-9]+)>/) { match in HTTPDate.text(start + (Int64(match.output.1) ?? 0)) }
    }
}
