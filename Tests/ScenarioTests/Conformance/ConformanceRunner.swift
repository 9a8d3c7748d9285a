import Foundation
import HTTP
import Proxy
import Server
import TestSupport
import Testing

/// Performs the cases of one group, one after the other, against one proxy whose clock moves only
/// in pauses.
final class ConformanceRunner {
    private let clock = ManualClock(1_795_255_200)  // 21 November 2026, 10:00
    private let origin: ConformanceOrigin
    private let proxy: ProxyUnderTest

    init() throws {
        origin = try ConformanceOrigin()
        proxy = try ProxyUnderTest(originPort: origin.port, timeOfDay: TimeOfDay { [clock] in clock.unixSeconds })
    }

    func stop() {
        proxy.stop()
        origin.stop()
    }

    /// The mismatches of the first exchange that has any; empty when the case holds.
    func mismatches(_ conformanceCase: ConformanceCase, at url: String) -> [String] {
        let text = FieldText(start: clock.unixSeconds, url: url, host: "127.0.0.1:\(origin.port)")
        var past: [PastAnswer] = []
        for step in conformanceCase.steps {
            switch step {
            case .pause(let seconds): clock.advance(seconds: seconds)
            case .exchange(let exchange):
                let number = past.count + 1
                let filled = text.filled(exchange, number)
                do {
                    let seen = try perform(filled, at: url)
                    past.append(PastAnswer(exchange: filled, reply: seen.reply))
                    let found = ExchangeCheck(exchange: filled, past: past, seen: seen).mismatches
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
        if case .reusedWhileAsked = exchange.source { waitUntil(within: 5) { self.updates > updates } }
        return SeenExchange(reply: reply, requests: origin.requests(below: url))
    }

    /// The number of changes that the proxy has made to its stored answers.
    private var updates: Int { proxy.statistics[.stored] + proxy.statistics[.revalidated] }
}

/// An exchange that is over: the origin's answer, if it was asked, and the client's.
struct PastAnswer {
    let exchange: Exchange
    let reply: HTTPTestClient.Reply
}

/// One exchange as it was seen on both sides.
struct SeenExchange {
    let reply: HTTPTestClient.Reply
    let requests: [ConformanceOrigin.Request]

    var summary: String {
        let asked = requests.map { "\($0.method) -> \($0.status.map(String.init) ?? "closed")" }
        return "\(reply.status) \(reply.field("Cache-Status") ?? ""); origin: \(asked)"
    }
}

/// Fills in dates, the path of the case and the origin's authority.
struct FieldText {
    let start: Int64
    let url: String
    let host: String

    func filled(_ exchange: Exchange, _ number: Int) -> Exchange {
        var result = exchange
        result.request = exchange.request.map(filled)
        result.details = exchange.details.map(filled)
        result.answer.fields = exchange.answer.fields.map(filled)
        result.answer.interim = exchange.answer.interim.map { ($0.status, $0.fields.map(filled)) }
        result.answer.condition = exchange.answer.condition.map(filled)
        result.answer.content = exchange.answer.content ?? "answer \(number) of \(url)"
        return result
    }

    private func filled(_ detail: Detail) -> Detail {
        switch detail {
        case .field(let line): .field(filled(line))
        case .sent(let line): .sent(filled(line))
        default: detail
        }
    }

    func filled(_ line: String) -> String {
        let line = line.replacingOccurrences(of: "<url>", with: url).replacingOccurrences(of: "<host>", with: host)
        return line.replacing(/<([+-][0-9]+)>/) { match in HTTPDate.text(start + (Int64(match.output.1) ?? 0)) }
    }
}
