import Cache
import EventLoop
import Purging
import Store

// The interface between `FollowerState` and `LogFollower`: events of a node, and its effects.

extension FollowerState {
    /// The time of an event.
    struct Moment: Sendable {
        let now: Instant
        /// Unix milliseconds of this machine.
        let wall: Int64
    }

    /// A pipeline for the engine.
    enum Question: Sendable, Equatable {
        /// A page of the log; answers to older numbers are not read.
        case page(Int)
        /// Whether the log is as the page before it showed it; numbered like pages.
        case glance(Int)
        /// A new life of the log, unless another node was faster.
        case beginning
        /// Another number next to the log, so that its life goes on.
        case succession
        /// A sign of life, which also asks for those of the others.
        case signs
        /// A purge that was asked for here, by its number.
        case announcement(Int)
        /// Purges that were done here without the log, by their numbers.
        case unlogged([Int])
        /// The newest entry from before the horizon.
        case horizon
        case trimming
        case farewell
    }

    /// A purge of this node's cache.
    enum Job: Sendable, Equatable {
        case logged(PurgeLogEntry)
        case everything(LogBreak)
        /// A purge that was asked for here, by its number.
        case asked(Int)
    }

    enum Event: Sendable {
        /// The disk has told how far this node came in an earlier run, and whether the log may lack
        /// purges that were done here then. Before, nothing is read.
        case began(LogMark?, doubt: LogMark? = nil, mayLackOwn: Bool = false)
        /// The purges of the cache got other numbers, as its file was read late.
        case renumbered
        /// A purge is asked for, under a number of its own.
        case purge(Int, PurgeRecord)
        /// Nil: the engine did not answer.
        case answered(Question, [RESPReply]?)
        /// A purge holds here, and the disk has it; before or after `purged`.
        case durable(Job)
        /// How many answers a purge chose; nil where the disk refused.
        case purged(Job, Int?)
        /// The node asks the origin of that name from now on.
        case upstream(String)
        /// The names that the node's clients want, for the next sign of life; where they are news
        /// to the other nodes, that is sent at once.
        case wanted(String, isNews: Bool)
        /// `wakeAt` has come.
        case woken
        /// The node is to end, and not to be missed.
        case leave
        case close
    }

    enum Effect: Sendable, Equatable {
        case ask(Question, [RESPCommand])
        /// Begin with `LogPlaces` that know nothing.
        case beginHistory(LogEpoch, forgottenUntil: LogPosition)
        /// Put it into the history. `isNew`: the cache is about to do it; else it may have had it
        /// in an earlier life, or never.
        case note(PurgeLogEntry, isNew: Bool)
        /// Purges that no value may have missed, though the log was not read so far.
        case hold([UnloggedPurge])
        /// Purge the cache as of that time, in unix seconds; then `purged`.
        case purge(Job, EntrySelection, PurgeMode, at: Int64)
        case persist(LogMark)
        /// The purge of that number holds here; other nodes may not have heard of it yet.
        case acknowledge(Int, PurgeReport)
        case report(Int, PurgeReport)
        case warn(String)
        case inform(String)
        /// Takes over the names that clients of the other nodes want, in place of earlier ones.
        case heed([String])
        /// The engine has heard that this node leaves, or never will.
        case left
    }
}
