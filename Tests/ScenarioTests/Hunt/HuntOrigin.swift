import Synchronization
import TestSupport

/// Serves the world's answers at the time of a clock, or fails.
final class HuntOrigin: Sendable {
    /// How it fails.
    enum Failure: CaseIterable, Sendable {
        case status503
        /// The connection ends without an answer.
        case close
        /// A 200 without content.
        case empty
        /// A 200 with errors, which lacks its last element.
        case incomplete
    }

    /// One answer.
    struct Entry: Sendable {
        let moment: Int
        let target: String
        let status: Int
        /// Whether it is the world's, not a failure.
        let isWhole: Bool
    }

    private struct State {
        var failure: Failure?
        var entries: [Entry] = []
        var count = 0
        var unknown: [String] = []
    }

    let world: HuntWorld
    private let clock: ManualClock
    private let state = Mutex(State())

    /// The time of the clock at moment 0, in unix seconds.
    static let start: Int64 = 1_790_000_000
    init(_ world: HuntWorld, _ clock: ManualClock) { (self.world, self.clock) = (world, clock) }

    var moment: Int { Int(clock.unixSeconds - Self.start) }

    func fail(_ failure: Failure?) { state.withLock { $0.failure = failure } }

    /// The answers since the last call.
    func take() -> [Entry] {
        state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
    }

    /// The number of all answers.
    var count: Int { state.withLock { $0.count } }

    /// Targets that the proxy made and this origin does not know.
    var unknown: [String] { state.withLock { $0.unknown } }

    /// The bytes of the answer; nil ends the connection.
    func answer(_ text: String) -> [UInt8]? {
        let words = text.split(separator: " ", maxSplits: 2)
        let target = words.count > 1 ? String(words[1]) : ""
        let failure = state.withLock { $0.failure }
        switch failure {
        case .close?: return nil
        case .status503?: return response(target, 503, "{}")
        case .empty?: return response(target, 200, "")
        case .incomplete?, nil: break
        }
        guard let request = HuntRequest(target: target) else {
            state.withLock { $0.unknown.append(target) }
            return response(target, 400, HuntWorld.notFound.written)
        }
        let answer = world.answer(to: request, at: moment)
        guard failure == nil else { return response(target, answer.status, answer.document.incomplete.written) }
        return response(target, answer.status, answer.document.written, to: text)
    }

    /// - Parameter request: the text of one that this is no failure of.
    private func response(
        _ target: String, _ status: Int, _ body: String, to request: String? = nil
    ) -> [UInt8] {
        let tag = "\"\(Self.checksum(body))\""
        let isKnown = status == 200 && request?.contains("\r\nIf-None-Match: \(tag)") == true
        note(Entry(moment: moment, target: target, status: isKnown ? 304 : status, isWhole: request != nil))
        if isKnown { return Array("HTTP/1.1 304 Not Modified\r\nETag: \(tag)\r\n\r\n".utf8) }
        let head = "HTTP/1.1 \(status) Answer\r\nContent-Type: application/json\r\nETag: \(tag)\r\n"
        return Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }

    private func note(_ entry: Entry) {
        state.withLock { state in
            state.entries.append(entry)
            state.count += 1
        }
    }

    private static func checksum(_ text: String) -> UInt64 {
        text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}

extension JSONNode {
    /// An answer with errors, without the last element of `data`.
    var incomplete: JSONNode {
        guard let data = self["data"] else { return self }
        let kept = JSONNode(.array(data.elements.dropLast()))
        return JSONNode(
            .object(without("data").members + [("data", kept)] + (HuntWorld.notFound.members)))
    }
}
