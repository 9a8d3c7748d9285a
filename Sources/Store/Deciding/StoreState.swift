// The store as a machine: it decides, and `StoreWork` performs. A value without a file, a lock or a
// clock: every event brings the time, and the outcome of an effect.
// Must hold: another process's file is neither written nor judged; a file is set aside after two
// reports at least, and because it cannot be read once in a process; after a failure nothing is
// tried before `retryDelay` is over, but for a caller that waits; each change of health is said
// once.

struct StoreState {
    /// When an event came.
    struct Moment: Sendable {
        /// Since the machine has started.
        let uptime: Duration
        /// The wall clock.
        let unixSeconds: Int64
    }

    /// A report about the file that is looked into.
    struct Question: Equatable {
        let reason: String
        /// A read failed; otherwise the file's content is damaged.
        let isUnreadable: Bool
        /// The writer's own connection met it, and cannot be used any more.
        let isWriters: Bool
    }

    private(set) var phase = StorePhase.absent
    private(set) var isInTrouble = false
    let path: String
    private var retryAt = Duration.zero
    private var question: Question?
    /// When a look at the whole file found nothing wrong.
    private var acquittedAt: Duration?
    /// When the file could not be read.
    private var doubtedAt: Duration?
    private var hasReplacedUnreadable = false
    private var chores: Set<Chore> = []
    /// To be begun again when the file works again.
    private var interrupted: Set<Chore> = []
    private var sweep = SweepTurn()
    private var lastTime: Int64 = 0
    /// When room is no longer made for the queue, because the process ends.
    private var roomUntil: Duration?

    /// The pause after a failure, so that a disk that has space again is soon written to (FRAMING
    /// 8.2).
    static let retryDelay = Duration.seconds(1)
    /// Damage that is reported again within this time after a check that found nothing is believed,
    /// because such a check does not find all damage. The same holds for a failure to read.
    static let probation = Duration.seconds(600)
    /// How long room is made for the queue when the process ends.
    static let lastRoom = Duration.seconds(3)

    init(path: String) { self.path = path }

    /// Whether the file is open, and takes what is written.
    var isWriting: Bool { phase == .open && !isInTrouble }

    mutating func apply(_ event: StoreEvent, at now: Moment) -> [StoreEffect] {
        let isBack = lastTime - ClockStep.adjustment > now.unixSeconds
        lastTime = now.unixSeconds
        let effects = decide(event, now)
        return isBack && phase == .open ? effects + begin(.capUses) : effects
    }

    private mutating func decide(_ event: StoreEvent, _ now: Moment) -> [StoreEffect] {
        switch event {
        case .due(let isForced): return due(isForced, now)
        case .opened(let isLearnt): return opened(isLearnt)
        case .notOpened(let reason, let fault): return notOpened(reason, fault, now)
        case .wrote(let written, let isOver): return wrote(written, isOver)
        case .failed(let reason, let fault): return failed(reason, fault, now)
        case .displaced:
            precondition(phase == .open)
            return letGo(.disconnect) + unavailable("\(path) or its journal was removed or replaced", now) + [.open]
        case .reported(let reason, let fault): return reported(reason, fault, now)
        case .probed(let segment, let isReadable): return isReadable || phase != .open ? [] : lose(segment)
        case .examined(let verdict): return examined(verdict, now)
        case .wasSetAside: return [.open]
        case .notSetAside(let reason): return unavailable(reason, now)
        case .choreDue(let chore): return due(chore)
        case .ran(let chore, let isOver):
            if isOver { chores.remove(chore) }
            return isOver || !chores.contains(chore) ? [] : [.schedule(chore)]
        case .sweep(let event): return decide(event, now)
        case .lend, .takeBack, .handOver, .stopping, .stop: return handOn(event, now)
        }
    }

    // MARK: Writing

    private func due(_ isForced: Bool, _ now: Moment) -> [StoreEffect] {
        switch phase {
        case .stopped, .handedOver, .lent: []
        case .absent where isForced || now.uptime >= retryAt: [.open]
        case .open where isForced || now.uptime >= retryAt:
            [.write(makingRoom: roomUntil.map { now.uptime < $0 } ?? true)]
        case .absent, .open: []
        }
    }

    private mutating func wrote(_ written: Written, _ isOver: Bool) -> [StoreEffect] {
        precondition(phase == .open, "nothing is written without a file")
        if written == .part { return [.again] }
        return recovered() + (isOver ? begin(.shrink) : []) + (written == .round ? [.gather] : [])
    }

    /// The file can be read and written.
    private mutating func recovered() -> [StoreEffect] {
        var effects: [StoreEffect] = [.health(.available)]
        if isInTrouble { effects.append(.tell("cache file \(path) is available again")) }
        isInTrouble = false
        for chore in Chore.allCases where interrupted.remove(chore) != nil { effects += begin(chore) }
        return effects + sweep.resume().map { .sweep($0) }
    }

    private mutating func failed(_ reason: String, _ fault: FileFault, _ now: Moment) -> [StoreEffect] {
        precondition(phase == .open, "a file that is not open cannot fail")
        interrupted.formUnion(chores)
        chores = []
        switch fault {
        case .segment(let number): return [.putBack] + lose(number) + sweep.resume().map { .sweep($0) } + [.again]
        case .room, .busy: return [.putBack] + failing(reason, now)
        case .damage, .unreadable:
            return [.putBack] + ask(Question(reason: reason, isUnreadable: fault == .unreadable, isWriters: true), now)
        case .other: return [.putBack] + letGo(.dropConnection) + failing(reason, now)
        }
    }

    private mutating func failing(_ reason: String, _ now: Moment) -> [StoreEffect] {
        trouble(.failing(reason), "cache file \(path) cannot be written: \(reason); retrying", now)
    }

    private mutating func unavailable(_ reason: String, _ now: Moment) -> [StoreEffect] {
        trouble(.unavailable(reason), "cache file unavailable: \(reason); serving from memory", now)
    }

    private mutating func trouble(_ health: StoreHealth, _ words: String, _ now: Moment) -> [StoreEffect] {
        retryAt = now.uptime + Self.retryDelay
        defer { isInTrouble = true }
        return [.health(health)] + (isInTrouble ? [] : [.tell(words)]) + [.retry(after: Self.retryDelay)]
    }

    // MARK: The file

    private mutating func opened(_ isLearnt: Bool) -> [StoreEffect] {
        precondition(phase == .absent, "a file is opened once")
        phase = .open
        (chores, interrupted) = ([], [])
        // An earlier life may owe one.
        sweep.owe()
        return recovered() + (isLearnt ? [] : begin(.learn)) + begin(.capUses) + [.again]
    }

    private mutating func notOpened(_ reason: String, _ fault: FileFault, _ now: Moment) -> [StoreEffect] {
        precondition(phase == .absent)
        if case .unreadable = fault, isDoubtedAgain(now) { return replaceUnreadable(reason) }
        return unavailable(reason, now)
    }

    /// The connection goes; with `disconnect` readers stop asking the file too.
    private mutating func letGo(_ effect: StoreEffect) -> [StoreEffect] {
        phase = .absent
        (chores, interrupted) = ([], [])
        return [effect] + sweep.interrupt(.owed).map { .sweep($0) }
    }

    private mutating func lose(_ segment: Int) -> [StoreEffect] {
        [.giveUp(segment)] + begin(.sweep)
    }

    // MARK: Judging

    private mutating func reported(_ reason: String, _ fault: FileFault, _ now: Moment) -> [StoreEffect] {
        guard phase == .open, question == nil, fault == .damage || fault == .unreadable else { return [] }
        return ask(Question(reason: reason, isUnreadable: fault == .unreadable, isWriters: false), now)
    }

    private mutating func ask(_ question: Question, _ now: Moment) -> [StoreEffect] {
        if question.isUnreadable, hasReplacedUnreadable {
            return question.isWriters ? letGo(.dropConnection) + failing(question.reason, now) : []
        }
        if !question.isUnreadable, let acquittedAt, now.uptime - acquittedAt < Self.probation {
            return replace(question.reason)
        }
        self.question = question
        return [.examine]
    }

    private mutating func examined(_ verdict: FileVerdict, _ now: Moment) -> [StoreEffect] {
        guard let question else { preconditionFailure("nothing was asked") }
        self.question = nil
        var effects: [StoreEffect] = []
        switch verdict {
        case .damaged: return replace(question.reason)
        case .unfinished where !question.isUnreadable: return replace(question.reason)
        case .sound where question.isUnreadable: break
        case .sound:
            acquittedAt = now.uptime
            effects = [.tell("\(reportWords(question)), but the check found no damage: it is kept")]
        case .unreadable, .unfinished:
            if isDoubtedAgain(now) { return replaceUnreadable(question.reason) }
            if !question.isUnreadable, case .unreadable(let failure) = verdict {
                effects = [.tell("\(reportWords(question)), but cannot be read: \(failure): it is kept")]
            }
        }
        return question.isWriters ? letGo(.dropConnection) + failing(question.reason, now) + effects : effects
    }

    private func reportWords(_ question: Question) -> String {
        "cache file \(path) was reported as damaged (\(question.reason))"
    }

    /// Whether the file could not be read before either, a moment ago at least. A disk that fails
    /// all reads for a moment costs nothing.
    private mutating func isDoubtedAgain(_ now: Moment) -> Bool {
        guard !hasReplacedUnreadable else { return false }
        if let doubtedAt, now.uptime - doubtedAt < Self.probation {
            return now.uptime - doubtedAt >= Self.retryDelay
        }
        doubtedAt = now.uptime
        return false
    }

    private mutating func replaceUnreadable(_ reason: String) -> [StoreEffect] {
        hasReplacedUnreadable = true
        return replace("it cannot be read: \(reason)")
    }

    private mutating func replace(_ reason: String) -> [StoreEffect] {
        question = nil
        return letGo(.setAside(reason))
    }

    // MARK: Chores

    private mutating func begin(_ chore: Chore) -> [StoreEffect] {
        chores.insert(chore).inserted ? [.schedule(chore)] : []
    }

    private mutating func due(_ chore: Chore) -> [StoreEffect] {
        guard chores.contains(chore) else { return [] }
        precondition(phase == .open, "chores end with the file")
        return [.run(chore)]
    }

    // MARK: Purges

    private mutating func decide(_ event: SweepTurn.Event, _ now: Moment) -> [StoreEffect] {
        switch event {
        case .asked(let id): return sweep.ask(id, phase, isInTrouble).map { .sweep($0) }
        case .due(let id): return sweep.due(id, isSettled: isWriting).map { .sweep($0) }
        case .stepped(let id, let isDone): return sweep.stepped(id, isDone: isDone).map { .sweep($0) }
        case .failed(_, let reason, let fault):
            let isOwed = sweep.interrupt(.owed).map { StoreEffect.sweep($0) }
            // A segment that is lost holds nothing that has to be purged.
            return isOwed + failed(reason, fault, now)
        }
    }

    // MARK: From process to process

    private mutating func handOn(_ event: StoreEvent, _ now: Moment) -> [StoreEffect] {
        switch event {
        case .stopping:
            roomUntil = now.uptime + Self.lastRoom
            return []
        case .stop:
            guard phase != .stopped else { return [] }
            let isOurs = phase == .absent || phase == .open
            phase = .stopped
            (chores, interrupted) = ([], [])
            // A purge that was answered holds for whatever comes after this process: a file that
            // does not know it is not left to others.
            return sweep.interrupt(.refused).map { .sweep($0) } + (isOurs ? [.abandon] : []) + [
                .forgetQueue, .close, .health(.closed),
            ]
        case .lend:
            guard phase == .absent || phase == .open else { return [] }
            let effects = sweep.interrupt(.refused).map { .sweep($0) } + [.abandon] + letGo(.lend)
            phase = .lent
            return effects
        case .takeBack:
            guard phase == .lent else { return [] }
            phase = .absent
            return [.signLock, .open]
        default:
            guard phase == .lent else { return [] }
            phase = .handedOver
            return [.releaseLock, .keepQueue]
        }
    }
}
