import EventLoop
import Purging
import Store

// One node among those that share the tier, as a value: events in, effects out, no I/O, no clock.
// `PurgeLogState` says how the log is followed, `NodeRegistry` which nodes there are, `PurgeWait`
// when a purge is reported; this joins them.
// Must hold: effects are performed in their order, and those on the history before any value is
// judged; a purge that was asked for here is done here, whatever the engine does, and reported
// once; this machine's clock alone says when a purge ends the freshness of answers stored here.

struct FollowerState: Sendable {
    enum Phase { case starting, following, left, closed }

    private let keys: TierKeys
    private let settings: LogFollower.Settings
    private(set) var moment: Moment
    private var effects: [Effect] = []
    private(set) var phase = Phase.starting

    private(set) var log = PurgeLogState()
    private var succession: LogSuccession
    private(set) var tail = LogTail()
    private var reading = 0
    private(set) var pauseUntil: Instant?
    /// The log as the last page showed it, and when that came; nil where a page has to be read.
    private var lastPage: (glance: LogGlance, at: Instant)?
    /// Whether the engine has answered the last question.
    private(set) var isConnected = false
    /// Whether this node hears of purges elsewhere.
    var isFollowing: Bool { isConnected && !succession.isOpen }
    /// Since when it has not, in unix seconds.
    private(set) var awaySince: Int64
    /// Whether the engine had a replica last. To wait for none delays all by a tenth of a second.
    private var hasReplica = true
    private var trimming = LogTrimming()

    private(set) var heartbeat: Heartbeat
    private(set) var asked = AskedPurges()
    /// When purges that the log lacks were last written to it.
    private var lastLogging: Instant?

    /// The last complaint about pages.
    private var complaint: String?
    /// Topics that are not logged again.
    private var said: Set<String> = []

    /// Seconds by which clocks may differ without a word.
    private static let clockTolerance: Int64 = 60
    private static let mostSaid = 256

    init(_ own: NodeIdentity, _ keys: TierKeys, _ settings: LogFollower.Settings, at moment: Moment) {
        (self.keys, self.settings, self.moment) = (keys, settings, moment)
        awaySince = moment.wall / 1000
        (heartbeat, succession) = (Heartbeat(of: own), LogSuccession(patience: settings.successionPatience))
    }

    mutating func take(_ event: Event, at moment: Moment) -> [Effect] {
        self.moment = moment
        defer { effects = [] }
        switch event {
        case .answered(.farewell, _): effects.append(.left)
        case _ where phase == .closed: refuse(event)
        case .began(let kept, let doubt, let mayLackOwn): begin(kept, doubt, mayLackOwn)
        case .renumbered: log.renumbered()
        case .purge(let number, let record): announce(number, record)
        case .answered(let question, let replies): answered(question, replies)
        case .durable(let job):
            effects += asked.reports(on: job, registry, now: moment.now).map { .acknowledge($0.number, $0.report) }
            // It is in effect: the next one need not wait until the cache was swept.
            if case .logged(let entry) = job, log.isApplying(entry.position) { follow(log.applied(succeeded: true)) }
        case .purged(let job, let count): purged(job, count)
        case .upstream(let name):
            heartbeat.use(name)
            beat()
        case .wanted(let line, let isNews): say(wanted: line, isNews)
        case .woken: wake()
        case .leave: leave()
        case .close: close()
        }
        perform(asked.settle(isFollowing: isFollowing, at: log.position, registry, now: moment.now))
        return effects
    }

    private mutating func begin(_ kept: LogMark?, _ doubt: LogMark?, _ mayLackOwn: Bool) {
        guard phase == .starting else { return }
        phase = .following
        log = PurgeLogState(kept: kept, doubt: doubt, mayLackOwn: mayLackOwn)
        beat()
    }

    private mutating func wake() {
        if let pauseUntil, pauseUntil <= moment.now { look() }
        if let due = heartbeat.dueAt, due <= moment.now { beat() }
    }

    private mutating func leave() {
        (phase, lastLogging) = (.left, nil)
        heartbeat.unschedule()
        // This node may alone know of a purge that is lost: the others must wait for it.
        guard isFollowing, log.readiness == .ready else { return effects.append(.left) }
        logUnlogged()
        ask(.farewell, [registry.farewell(keys)])
    }

    private mutating func close() {
        perform(asked.giveUp(registry, now: moment.now))
        (phase, pauseUntil) = (.closed, nil)
        heartbeat.unschedule()
    }

    /// After `close` no event changes anything; a purge is reported as not done.
    private mutating func refuse(_ event: Event) {
        guard case .purge(let number, _) = event else { return }
        let report = PurgeReport(purged: nil, replication: .unlogged, missing: [], nodes: nil)
        effects.append(.report(number, report))
    }

    private mutating func ask(_ question: Question, _ commands: [RESPCommand]) {
        effects.append(.ask(question, commands))
    }

    private mutating func answered(_ question: Question, _ replies: [RESPReply]?) {
        switch question {
        case .page(let number): if number == reading { readPage(replies) }
        case .glance(let number): if number == reading { glanced(replies) }
        case .beginning: if let code = replies?.first?.errorCode { complain(code) }
        case .signs: readSigns(replies)
        case .announcement(let number): announced(number, replies ?? [])
        case .unlogged(let numbers): written(numbers, replies ?? [])
        case .horizon:
            if let command = LogTrimming.trimming(upTo: replies?.first, keys) { ask(.trimming, [command]) }
        case .trimming, .succession, .farewell: break
        }
    }

    /// The engine has answered.
    private mutating func noteAnswered() {
        guard !isConnected, phase != .starting else { return }
        isConnected = true
        follow(log.connected())
    }

    /// The engine does not answer, or not to the question. A sign of life finds out when it does.
    private mutating func noteUnanswered() {
        reading += 1
        lastPage = nil
        guard isConnected else { return }
        (isConnected, awaySince) = (false, moment.wall / 1000)
        log.disconnected()
        // The scheduled one would be later than necessary.
        heartbeat.unschedule()
        scheduleBeat()
    }

    private mutating func sayOnce(_ topic: String, _ line: String) {
        if said.count < Self.mostSaid, said.insert(topic).inserted { effects.append(.warn("purge log: " + line)) }
    }

    // MARK: Reading the log

    private mutating func follow(_ actions: [PurgeLogState.Action]) {
        for action in actions {
            switch action {
            case .read(let position): read(after: position)
            case .beginHistory(let epoch, let until): effects.append(.beginHistory(epoch, forgottenUntil: until))
            case .note(let entry): note(entry, isNew: false)
            case .apply(let entry): apply(entry)
            case .makeAllStale(let reason):
                tail.forget()
                effects.append(.purge(.everything(reason), EntrySelection(), .soft, at: moment.wall / 1000))
            case .persist(let mark):
                effects.append(.persist(mark))
                // Those that wait for this node hear of it.
                beat()
            case .wait: pauseUntil = moment.now + settings.pause
            }
        }
    }

    /// The pause is over. A page is read where the log has grown, and from time to time: then the
    /// number next to the log is looked at too.
    private mutating func look() {
        guard let lastPage, moment.now - lastPage.at < settings.pageInterval, log.isCaughtUp, !succession.isOpen else {
            return readOn()
        }
        reading += 1
        pauseUntil = nil
        ask(.glance(reading), PurgeLogQuery.glance(keys))
    }

    private mutating func glanced(_ replies: [RESPReply]?) {
        guard let replies else { return noteUnanswered() }
        guard let lastPage, lastPage.glance == LogGlance(replies) else { return readOn() }
        pauseUntil = moment.now + settings.pause
    }

    private mutating func read(after position: LogPosition) {
        (reading, lastPage) = (reading + 1, nil)
        ask(.page(reading), PurgeLogQuery.commands(keys, after: position, place: log.position))
    }

    private mutating func readPage(_ replies: [RESPReply]?) {
        guard let replies else { return noteUnanswered() }
        if let history = replies.last?.elements?.last.flatMap({ EngineHistory($0) }) {
            hasReplica = history.replicas > 0
        }
        switch PurgeLogQuery.answer(replies) {
        case .page(let page):
            complaint = nil
            judge(page)
            if log.isCaughtUp { lastPage = LogGlance(ofPage: replies).map { ($0, moment.now) } }
        case .noEpoch:
            ask(.beginning, [PurgeLogQuery.beginning(keys)])
            follow(log.postpone())
        case .unusable(let reason): complain(reason)
        }
    }

    private mutating func judge(_ page: PurgeLogPage) {
        let wasOpen = succession.isOpen
        if succession.isOther(page) { asked.forgetPlaces() }
        let verdict = succession.judge(page, log, heartbeat, keys, now: moment.now)
        heartbeat.confirm(succession.doubted)
        switch verdict {
        case .take(let lacksPlace):
            for entry in page.entries { tail.note(entry.position) }
            let actions = log.read(page, lacksPlace: lacksPlace)
            // Once for each break of the log, and not each time that the cache is asked again.
            for case .makeAllStale in actions { asked.forgetPlaces() }
            follow(actions)
        case .wait(let command):
            if !wasOpen { awaySince = moment.wall / 1000 }
            if let command { ask(.succession, [command]) }
            follow(log.postpone())
            beat()
        }
    }

    /// A page cannot be read: it is asked for again after the next sign of life.
    private mutating func complain(_ reason: String) {
        if complaint != reason { effects.append(.warn("purge log: cannot be read: \(reason); retrying")) }
        complaint = reason
        noteUnanswered()
    }

    /// The log is known to have grown, or the pause is over.
    private mutating func readOn() {
        pauseUntil = nil
        follow(log.woken())
    }

    private mutating func note(_ entry: PurgeLogEntry, isNew: Bool) {
        effects.append(.note(entry, isNew: isNew))
        if asked.unlogged.read(entry.position) { hold() }
    }

    private mutating func hold() { effects.append(.hold(asked.unlogged.all)) }

    private mutating func apply(_ entry: PurgeLogEntry) {
        note(entry, isNew: true)
        asked.note(.applying, at: entry.position)
        let record = entry.record
        if let unknown = record.unknown {
            let line = "\(entry.position.text) is of a later version (\(unknown)): all answers are treated as stale"
            sayOnce(unknown, line)
        }
        let ahead = record.at - entry.position.unixSeconds
        if ahead > Self.clockTolerance {
            sayOnce("the clock of " + record.node, "the clock of node \(record.node) is \(ahead) s ahead")
        }
        purgeCache(.logged(entry), record)
    }

    /// Answers that came since the purge was asked for may be older all the same: it is of now.
    private mutating func purgeCache(_ job: Job, _ record: PurgeRecord) {
        effects.append(.purge(job, record.selection, record.mode, at: moment.wall / 1000))
    }

    private mutating func purged(_ job: Job, _ count: Int?) {
        switch job {
        case .logged(let entry):
            asked.note(.done(count), at: entry.position)
            if let count, entry.record.isUnderstood, entry.record.node != registry.own.name {
                effects.append(.inform(entry.record.text(purged: count)))
            }
            if log.isApplying(entry.position) { follow(log.applied(succeeded: count != nil)) }
        case .everything(let reason):
            if let count { effects.append(.warn(reason.text(stale: count))) }
            follow(log.madeStale(succeeded: count != nil))
        case .asked(let number): asked.done(number, count)
        }
    }

    // MARK: Purges that are asked for here

    // They are written to the log, done here as the log is read, and reported when the nodes that
    // are up have done the same.

    private mutating func announce(_ number: Int, _ record: PurgeRecord) {
        // Nodes before this version believe the time that an entry says.
        let record = registry.engineTime(moment.now).map { record.notLater(than: $0 / 1000) } ?? record
        asked.add(number, record, until: moment.now + settings.purgePatience)
        ask(.announcement(number), PurgeLogQuery.announcement(of: record, keys, hasReplica: hasReplica))
    }

    private mutating func announced(_ number: Int, _ replies: [RESPReply]) {
        if let code = replies.first?.errorCode { effects.append(.warn("purge log: a purge was not accepted: \(code)")) }
        let position = replies.first?.bytes.flatMap { LogPosition($0) }
        // If this node has taken the engine for away, it catches up first, or it would pass for up
        // to date.
        if position != nil { noteAnswered() }
        asked.announced(
            number, at: position, in: log.logMark?.epoch,
            position == nil ? .unlogged : PurgeLogQuery.replication(replies))
        readOn()
        beat()
    }

    private mutating func perform(_ steps: [AskedPurges.Step]) {
        for step in steps {
            switch step {
            case .purge(let wait):
                // Before the cache is purged: answers that it loses must not come back from the
                // tier.
                hold()
                if wait.isWidened { effects.append(.warn(AskedPurges.widened)) }
                purgeCache(.asked(wait.number), wait.record)
            case .report(let number, let report): effects.append(.report(number, report))
            }
        }
    }

    /// Purges that were done without the log go into it after all that it has: other nodes hear of
    /// them, and values that they chose are taken from the tier again.
    private mutating func logUnlogged() {
        let purges = asked.unlogged.lacking(inLogReadTo: log.position)
        guard isFollowing, !purges.isEmpty, lastLogging.map({ moment.now - $0 >= settings.heartbeat }) ?? true
        else { return }
        lastLogging = moment.now
        ask(.unlogged(purges.map(\.number)), purges.map { PurgeLogQuery.entry($0.record, keys) })
    }

    private mutating func written(_ numbers: [Int], _ replies: [RESPReply]) {
        let places = replies.map { $0.bytes.flatMap { LogPosition($0) } }
        for case (let number, let place?) in zip(numbers, places) { asked.unlogged.written(number, at: place) }
        if !replies.isEmpty { readOn() }
    }

    // MARK: Signs of life

    var registry: NodeRegistry { heartbeat.registry }

    /// Gives a sign of life; where one is on its way, another after it.
    private mutating func beat() {
        guard phase == .following else { return }
        let isReady = isFollowing && log.readiness == .ready
        if let commands = heartbeat.beat(keys, mark: log.logMark, isReady: isReady, now: moment.now) {
            ask(.signs, commands)
        }
    }

    private mutating func say(wanted line: String, _ isNews: Bool) {
        heartbeat.say(wanted: line)
        if isNews { beat() }
    }

    private mutating func readSigns(_ replies: [RESPReply]?) {
        if let replies { noteSigns(replies) }
        let isDue = heartbeat.ended(isAnswered: replies != nil)
        if replies == nil { noteUnanswered() }
        if isDue { beat() } else { scheduleBeat() }
    }

    private mutating func noteSigns(_ replies: [RESPReply]) {
        effects += heartbeat.take(replies, wall: moment.wall, now: moment.now).map { .warn("purge log: " + $0) }
        for (name, _) in registry.ahead(now: moment.now) {
            sayOnce(
                "time of " + name,
                "the last heartbeat of node \(name) is in the future: the engine's clock was set back")
        }
        noteAnswered()
        if let wanted = heartbeat.newWishes(now: moment.now) { effects.append(.heed(wanted)) }
        logUnlogged()
        guard isFollowing, log.readiness == .ready, let time = registry.engineTime(moment.now) else { return }
        if let command = trimming.question(settings.horizon, time, keys, now: moment.now) { ask(.horizon, [command]) }
    }

    private mutating func scheduleBeat() {
        guard phase == .following else { return }
        let connected = asked.isEmpty && !succession.isOpen ? settings.heartbeat : settings.hastyHeartbeat
        heartbeat.schedule(at: moment.now + (isConnected ? connected : settings.pause))
    }
}
