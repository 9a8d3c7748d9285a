import Cache
import HTTP
import Purging
import Store

// One purge as an entry of the log: names and values, each of any bytes.
// Must hold: every purge that any version of this program ever writes takes at least the answers
// that it chose out of use in every other version. So a reader that does not understand an entry to
// the last field takes it for a purge of everything.

/// A purge as nodes tell each other.
///
/// | field | value |
/// | --- | --- |
/// | `v` | `1`; the first field |
/// | `mode` | `hard` or `soft` |
/// | `at` | when it was asked for, unix seconds in decimal |
/// | `by` | the name of the node that was asked |
/// | `target`, `prefix`, `storefront` | bytes, as in `EntrySelection.Condition` |
/// | `match` | a `PathPattern`; a version before it takes the purge for one of everything |
/// | `class` | the number of a resource class, in decimal |
/// | `resource` | the number of a resource, 16 hexadecimal digits |
///
/// Conditions (`ConditionField`) may come more than once; all must hold, and without one everything
/// is meant. Numbers of classes and of resources mean the same to every version, or `v` is counted
/// up.
struct PurgeRecord: Sendable, Equatable {
    let selection: EntrySelection
    /// `hard` or `soft`.
    let mode: PurgeMode
    /// When it was asked for, unix seconds by the clock of the node that was asked: a soft purge
    /// ends the freshness of the chosen answers there.
    let at: Int64
    /// Which node that was; empty where the entry was not understood.
    let node: String
    /// The part that a reader did not understand, so that it took the entry for a purge of
    /// everything; nil where it understood all.
    let unknown: String?

    /// A purge that was asked for here; nil for one that only counts, which other nodes do not need
    /// to hear of.
    init?(_ selection: EntrySelection, _ mode: PurgeMode, at now: Int64, by node: String) {
        guard mode != .dryRun else { return nil }
        self.init(selection: selection, mode: mode, at: max(now, 0), node: node)
    }

    init(selection: EntrySelection, mode: PurgeMode, at: Int64, node: String, unknown: String? = nil) {
        (self.selection, self.mode, self.at, self.node) = (selection, mode, at, node)
        self.unknown = unknown
    }

    var isUnderstood: Bool { unknown == nil }

    /// Copy of this purge, asked for at `latest` if its clock says later; unix seconds.
    func notLater(than latest: Int64) -> PurgeRecord {
        PurgeRecord(selection: selection, mode: mode, at: min(at, max(latest, 0)), node: node, unknown: unknown)
    }

    /// For the log of a node that has done it.
    func text(purged count: Int) -> String {
        let entries = count == 1 ? "1 entry" : "\(count) entries"
        return "purged \(entries) (\(mode.rawValue)), requested on node \(node): \(words)"
    }

    /// The selection for the log, on one line of bounded length.
    var words: String {
        let words = selection.conditions.map(ConditionField.init).map {
            $0.name.rawValue + " " + String(decoding: $0.value, as: UTF8.self)
        }
        return words.isEmpty ? "everything" : Self.shown(words.joined(separator: ", "))
    }

    /// Other nodes wrote it: none of its control characters comes into a line of this node's log.
    static func shown(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(1_024).map { $0.properties.generalCategory == .control ? "_" : $0 }
        return String(String.UnicodeScalarView(shown))
    }

    static let version = Array("1".utf8)

    /// Names and values in turn, as `XADD` takes them.
    var fields: [[UInt8]] {
        var fields = [Array("v".utf8), Self.version]
        func append(_ name: String, _ value: [UInt8]) {
            fields.append(Array(name.utf8))
            fields.append(value)
        }
        append("mode", Array(mode.rawValue.utf8))
        append("at", Array("\(at)".utf8))
        append("by", Array(node.utf8))
        for field in selection.conditions.map(ConditionField.init) { append(field.name.rawValue, field.value) }
        return fields
    }

    // Reading: understood to the last byte, or taken for a purge of everything.

    /// Reads the entry at `position`, of names and values in turn. Anything unknown to this program
    /// (a version, a name, a mode, a value out of bounds, a name that came twice) may have been
    /// meant to choose anything: it is a soft purge of everything, of the time at which the engine
    /// took it.
    init(reading fields: [[UInt8]], at position: LogPosition) {
        var draft = Draft()
        for index in stride(from: 0, to: fields.count - 1, by: 2) where draft.unknown == nil {
            draft.note(String(decoding: fields[index], as: UTF8.self), fields[index + 1], isFirst: index == 0)
        }
        if fields.count.isMultiple(of: 2), let record = draft.record {
            self = record
            return
        }
        self.init(
            selection: EntrySelection(), mode: .soft, at: position.unixSeconds, node: "",
            unknown: draft.unknown ?? "an incomplete entry")
    }

    /// The part of an entry read so far.
    private struct Draft {
        private(set) var unknown: String?
        private var conditions: [EntrySelection.Condition] = []
        private var mode: PurgeMode?
        private var at: Int64?
        private var node: String?

        /// The purge; nil where something is not understood or not there.
        var record: PurgeRecord? {
            guard unknown == nil, let mode, let at, let node else { return nil }
            return PurgeRecord(selection: EntrySelection(conditions), mode: mode, at: at, node: node)
        }

        mutating func note(_ name: String, _ value: [UInt8], isFirst: Bool) {
            let isKnown =
                switch name {
                // The version gives all later fields their meaning.
                case "v": isFirst && value == PurgeRecord.version
                case _ where isFirst: false
                case "mode": set(\.mode, [PurgeMode.hard, .soft].first { value.elementsEqual($0.rawValue.utf8) })
                case "at": set(\.at, Decimal.parse(value.span, 0..<value.count).map { Int64($0) })
                case "by": set(\.node, String(validating: value, as: UTF8.self))
                default: narrow(by: ConditionField(name, value)?.condition)
                }
            if !isKnown { unknown = "the field " + String(PurgeRecord.shown(name).prefix(64)) }
        }

        private mutating func set<Value>(_ member: WritableKeyPath<Draft, Value?>, _ value: Value?) -> Bool {
            defer { self[keyPath: member] = value }
            return self[keyPath: member] == nil && value != nil
        }

        private mutating func narrow(by condition: EntrySelection.Condition?) -> Bool {
            if let condition { conditions.append(condition) }
            return condition != nil
        }
    }
}
