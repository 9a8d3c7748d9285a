import AppleMusic
import Cache
import EventLoop
import Freshness
import HTTP
import Server
import Store
import Upstream

/// The way of one loop's requests to the origin, and the notes on the answers.
final class Asking {
    let gate: UpstreamGate
    let troubles: OriginTroubles
    private let settings: ServiceSettings
    private let shared: SharedStores
    private let base: LoopBase
    private let accounts: Accounts
    private let traffic: TrafficTap

    init(
        _ settings: ServiceSettings, _ shared: SharedStores, gate: UpstreamGate, accounts: Accounts,
        traffic: TrafficTap, base: LoopBase
    ) {
        (self.settings, self.shared, self.gate) = (settings, shared, gate)
        (self.accounts, self.traffic, self.base) = (accounts, traffic, base)
        troubles = OriginTroubles(settings, shared, base)
    }

    /// Circumstances that may be others for the next request of the same exchange.
    struct Terms {
        let origin: OriginTag
        /// Nil where the proxy has none of its own.
        var developerToken: SecretBytes?
        /// The number of the latest answer by then (`ResponseCache.arrivals`); later ones may show
        /// an older or a newer state than the answer to this request.
        var arrivals = Int64.max
    }

    /// The origin that the gate leads to, the token that goes along, and the latest answer now.
    var terms: Terms {
        Terms(
            origin: settings.origin.tag, developerToken: settings.credentials.developer?.current(at: base.unixSeconds),
            arrivals: base.cache.arrivals)
    }

    /// Whether the answer goes through in gzip: not where its content is to be read here.
    private func passesGzip(_ request: OriginRequest) -> Bool {
        request.forwarded.passesGzip && !traffic.isOn && !settings.composition.completesNext
    }

    /// The request as it is sent.
    func message(
        for request: OriginRequest, _ sending: ExchangeState.Sending, developerToken: SecretBytes?
    ) -> UpstreamRequest {
        let forwarded = request.forwarded
        // Another origin says nothing about the stored answer.
        let validates = sending.validates && request.isKeyed(at: settings.origin.tag)
        let head = forwarded.head(
            .init(
                authority: settings.authority, developerToken: developerToken,
                userToken: request.mayUseOperatorsToken ? settings.credentials.musicUser : nil,
                origin: settings.credentials.origin, acceptsGzip: sending.acceptsGzip || passesGzip(request),
                validators: validates ? request.stored?.preconditionLines ?? [] : [], name: shared.name))
        return UpstreamRequest(method: forwarded.method, head: head, body: forwarded.body)
    }

    /// The word under which the request is counted: no plain miss where an answer of late was not
    /// stored.
    func purpose(of request: OriginRequest) -> UpstreamPurpose {
        guard request.purpose == .miss, let key = request.key, let last = shared.lastAnswers[key],
            base.unixSeconds - last.unixSeconds < Self.lately
        else { return request.purpose }
        return .unstored
    }

    /// Seconds for which an answer that was not stored counts against the next.
    private static let lately: Int64 = 600

    /// Whether there is another developer token than the one that the origin refused.
    func hasOtherToken(than refused: SecretBytes?) -> Bool {
        guard let refused, let tokens = settings.credentials.developer else { return false }
        return tokens.renewAfterRejection(of: refused, at: base.unixSeconds)
    }

    /// Seconds for which the origin has asked not to be asked this.
    func wait(for request: OriginRequest) -> Int? {
        request.key.flatMap { key in
            shared.heldTargets.wait(for: key, now: base.now) { born in
                base.cache.purges.choose(AwaitedAnswer(to: request), since: born)
            }
        }
    }
}

// MARK: - Answers

extension Asking {
    /// Counts the origin's answer, and tells the operator of a failure.
    /// - Parameters:
    ///   - terms: of the request that the origin answered.
    ///   - born: the number of the latest purge when the origin was asked.
    func note(_ response: UpstreamResponse, under terms: Terms, to request: OriginRequest, born: Int64) {
        // A former one's says nothing about the tokens and the state of the present one.
        guard terms.origin == settings.origin.tag else { return }
        let status = response.status
        let evidence = request.tokenEvidence(status)
        accounts.noteToken(of: request, evidence)
        if evidence == .refused, accounts.signs {
            base.statistics.count(.upstreamErrors)
            settings.credentials.developer?.noteRefusal(at: base.unixSeconds)
        }
        if status >= 500 {
            troubles.noteFailure("answers \(status)")
            noteWait(response, for: request, born: born)
        } else if evidence == .refused || status == 401, request.sendsNoToken(hasOwnToken: accounts.signs) {
            let subject = "requires a developer token (\(status))"
            troubles.tell("\(subject): neither the request nor the configuration has one", .token)
        } else if evidence == .refused {
            let token = terms.developerToken
            troubles.tell("refuses the developer token (\(status))", .token, detail: tokenToCheck(after: token))
        } else if status == 429 {
            troubles.tell("limits the rate of requests (429)", .rate)
        }
    }

    /// Key id and team id of a refused token of the proxy's own, which may have been replaced
    /// since, and the settings to check; nothing of a client's.
    private func tokenToCheck(after refused: SecretBytes?) -> String {
        guard let tokens = settings.credentials.developer else { return "" }
        let identity = refused.flatMap(DeveloperTokens.identity).map { " of \($0)" } ?? ""
        let names = tokens.areReady ? "developer_token_file" : "developer_key_id, developer_team_id, developer_key_file"
        return "\(identity): check \(names)"
    }

    /// Heeds an origin in trouble that says when to come back, where that is everyone's trouble.
    private func noteWait(_ response: UpstreamResponse, for request: OriginRequest, born: Int64) {
        guard let time = response.retryAfter(at: base.unixSeconds), time > .zero, let key = request.key,
            request.isKeyed(at: settings.origin.tag),
            request.hasImpersonalErrors(hasOwnToken: accounts.signs)
        else { return }
        shared.heldTargets.note(key, for: time, born: born, now: base.now)
    }

    /// Notes an origin's answer of which nothing is stored.
    func note(_ last: (status: Int?, reason: Reason), to request: OriginRequest, isForClient: Bool) {
        // A client's answer counts its reason itself.
        if last.reason.isAboutContent, !isForClient { base.statistics.count(because: last.reason) }
        guard let key = request.key else { return }
        let answer = LastAnswer(status: last.status, reason: last.reason, unixSeconds: base.unixSeconds)
        shared.lastAnswers.put(answer, for: key)
    }

    /// The answer with its content as it is, and what came of decoding it.
    func decoded(_ received: UpstreamResponse, inflates: Bool) -> (UpstreamResponse, ExchangeState.Decoding) {
        guard inflates else { return (received, .readable) }
        do throws(Gzip.Failure) {
            return (try received.inflated(by: settings.gzip), .readable)
        } catch {
            if error == .tooLarge { return (received, .tooLarge) }
            // An error of the origin's has been counted by its status.
            if received.status < 500 { troubles.noteFailure("answers in damaged gzip") }
            return (received, .damaged)
        }
    }
}
