import Foundation
import TestSupport

/// Compares an exchange with its expectations: values in, sentences out.
struct ExchangeCheck {
    /// Up to and including the exchange that is compared.
    let past: [SeenExchange]

    var mismatches: [String] {
        var found = sourceMismatches
        for detail in exchange.details {
            if let mismatch = mismatch(detail) { found.append(mismatch) }
        }
        return found
    }

    private var seen: SeenExchange { past[past.count - 1] }
    private var exchange: Exchange { seen.exchange }
    private var reply: HTTPTestClient.Reply { seen.reply }
    private var wasAsked: Bool { !seen.requests.isEmpty }

    private var sourceMismatches: [String] {
        switch exchange.source {
        case .asked: seen.requests.count == 1 ? relayed : ["the origin was asked \(seen.requests.count) times"]
        case .askedAnew: seen.requests.count == 2 ? relayed : ["the origin was asked \(seen.requests.count) times"]
        case .stored(let number): wasAsked ? ["the origin was asked"] : reused(number)
        case .reusedWhileAsked: wasAsked ? reused(1) : ["the origin was not asked"]
        case .freshened: wasAsked ? ["the origin was asked"] : content(of: 1) + ageMismatches
        case .revalidated:
            seen.requests.map(\.status) == [304] ? content(of: 1) : ["the origin did not answer 304 once"]
        case .reusedStale:
            seen.requests.contains { $0.status ?? 500 >= 500 } ? content(of: 1) : ["the origin did not fail"]
        case .failed: wasAsked && reply.status >= 502 && reply.status <= 504 ? noStoredContent : ["nothing failed"]
        case .proxy: wasAsked ? ["the origin was asked"] : noStoredContent
        }
    }

    // MARK: The source of the answer

    /// The origin's answer, unchanged.
    private var relayed: [String] {
        guard let status = seen.requests.last?.status else { return ["the origin closed the connection"] }
        var found = differences(status: status, content: status == 304 ? "" : exchange.answer.content ?? "")
        found += fieldDifferences(from: exchange.answer, but: [])
        return found
    }

    /// An answer that was given before, as it was given then, with an `Age`.
    private func reused(_ number: Int) -> [String] {
        let first = past[number - 1]
        var found = content(of: number) + ageMismatches
        if !overridesStatus { found += fieldDifferences(from: first.exchange.answer, but: ["age"]) }
        if first.reply.field("Date") != reply.field("Date") {
            found.append(
                "Date was \(first.reply.fields.list("Date") ?? "absent"), is \(reply.fields.list("Date") ?? "absent")")
        }
        return found
    }

    private var ageMismatches: [String] { reply.field("Age") == nil ? ["there is no Age"] : [] }

    private func content(of number: Int) -> [String] {
        let answer = past[number - 1].exchange.answer
        return differences(status: answer.status, content: answer.content ?? "")
    }

    private var noStoredContent: [String] {
        let text = String(decoding: reply.body, as: UTF8.self)
        return past.contains { $0.exchange.answer.content == text } ? ["a stored answer was used"] : []
    }

    private func differences(status: Int, content: String) -> [String] {
        var found: [String] = []
        if !overridesStatus, reply.status != status { found.append("the status is \(reply.status), not \(status)") }
        let isEmpty = exchange.method == "HEAD" || reply.status == 204 || reply.status == 304
        let text = String(decoding: reply.body, as: UTF8.self)
        if !overridesContent, text != (isEmpty ? "" : content) { found.append("the content is \"\(text)\"") }
        return found
    }

    private var overridesStatus: Bool {
        exchange.details.contains { if case .status = $0 { true } else { false } }
    }

    private var overridesContent: Bool {
        exchange.details.contains { if case .content = $0 { true } else { false } }
    }

    /// Fields of one connection (RFC 9110 7.6.1), and those that a case states itself.
    private static let ownFields: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "content-length",
    ]

    /// End-to-end fields of `answer` that the client did not get as they were.
    private func fieldDifferences(from answer: OriginAnswer, but exempt: Set<String>) -> [String] {
        let lines = answer.fields.map(ConformanceOrigin.parse)
        let named = lines.filter { $0.name.lowercased() == "connection" }.flatMap { line in
            line.value.lowercased().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let names = Set(lines.map { $0.name.lowercased() }).subtracting(Self.ownFields).subtracting(named)
        return names.subtracting(exempt).sorted().compactMap { name in
            let sent = lines.filter { $0.name.lowercased() == name }.map(\.value).joined(separator: ", ")
            let received = reply.fields.list(name)
            // An invalid Date may be replaced (RFC 9110 6.6.1), and an Age may have grown.
            if name == "date", !sent.hasSuffix("GMT") { return nil }
            if name == "age", received.flatMap({ Int($0) }) ?? -1 >= Int(sent) ?? -1 { return nil }
            return received == sent ? nil : "\(name) is \(received ?? "absent"), not \(sent)"
        }
    }

    // MARK: Further expectations

    private func mismatch(_ detail: Detail) -> String? {
        switch detail {
        case .status(let status): return reply.status == status ? nil : "the status is \(reply.status), not \(status)"
        case .content(let content):
            let text = String(decoding: reply.body, as: UTF8.self)
            return text == content ? nil : "the content is \"\(text)\", not \"\(content)\""
        case .field(let line):
            let (name, value) = ConformanceOrigin.parse(line)
            return reply.fields.list(name) == value
                ? nil : "\(name) is \(reply.fields.list(name) ?? "absent"), not \(value)"
        case .noField(let name): return reply.fields.list(name).map { "\(name) is \($0), should be absent" }
        case .age(let age):
            return reply.fields.list("Age") == "\(age)" ? nil : "Age is \(reply.fields.list("Age") ?? "absent")"
        case .ageAtLeast(let age):
            return reply.field("Age").flatMap { Int($0) } ?? -1 >= age
                ? nil : "Age is \(reply.fields.list("Age") ?? "absent")"
        case .interim(let statuses):
            let received = reply.interim.map(\.status)
            return received == statuses ? nil : "the interim responses are \(received), not \(statuses)"
        case .sent(let line):
            let (name, value) = ConformanceOrigin.parse(line)
            let sent = seen.requests.last?.fields.list(name)
            return sent == value ? nil : "the origin saw \(name): \(sent ?? "(absent)")"
        case .method(let method):
            let sent = seen.requests.last?.method
            return sent == method ? nil : "the origin saw \(sent ?? "no request")"
        }
    }
}
