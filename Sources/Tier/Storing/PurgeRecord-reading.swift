import Cache
import HTTP
import Text

// Reading an entry of the log: understood to the last byte, or taken for a purge of everything.

extension PurgeRecord {
    /// What an entry means that stands at `position`, of names and values in turn. Whatever this
    /// program does not know (a version, a name, a mode, a value out of bounds, a name that came
    /// twice) may have been meant to choose anything: it is a soft purge of everything, of the time
    /// at which the engine took it.
    init(reading fields: [[UInt8]], at position: LogPosition) {
        var draft = Draft()
        if fields.count.isMultiple(of: 2), !fields.isEmpty {
            for index in stride(from: 0, to: fields.count, by: 2) where draft.isUnderstood {
                draft.note(String(decoding: fields[index], as: UTF8.self), fields[index + 1], isFirst: index == 0)
            }
            if let record = draft.record {
                self = record
                return
            }
        }
        self.init(selection: EntrySelection(), mode: .soft, at: position.unixSeconds, node: "", isUnderstood: false)
    }

    /// What was read of an entry so far.
    private struct Draft {
        var isUnderstood = true
        private var conditions: [EntrySelection.Condition] = []
        private var mode: PurgeMode?
        private var at: Int64?
        private var node: String?

        /// The purge; nil where something is not understood or not there.
        var record: PurgeRecord? {
            guard isUnderstood, let mode, let at, let node else { return nil }
            return PurgeRecord(
                selection: EntrySelection(conditions), mode: mode, at: at, node: node, isUnderstood: true)
        }

        mutating func note(_ name: String, _ value: [UInt8], isFirst: Bool) {
            switch name {
            // By the version a reader knows what all that follows means.
            case "v": isUnderstood = isFirst && value == PurgeRecord.version
            case _ where isFirst: isUnderstood = false
            case "mode": set(\.mode, Self.mode(value))
            case "at": set(\.at, Self.number(value).map { Int64($0) })
            case "by": set(\.node, String(validating: value, as: UTF8.self))
            default: narrow(by: Self.condition(name, value))
            }
        }

        private mutating func set<Value>(_ member: WritableKeyPath<Draft, Value?>, _ value: Value?) {
            isUnderstood = self[keyPath: member] == nil && value != nil
            self[keyPath: member] = value
        }

        private mutating func narrow(by condition: EntrySelection.Condition?) {
            if let condition { conditions.append(condition) } else { isUnderstood = false }
        }

        private static func mode(_ value: [UInt8]) -> PurgeMode? {
            switch String(decoding: value, as: UTF8.self) {
            case "hard": .hard
            case "soft": .soft
            default: nil
            }
        }

        private static func number(_ value: [UInt8]) -> Int? { Decimal.parse(value.span, 0..<value.count) }

        /// Nil for a name that is unknown, and for a value that it cannot have.
        private static func condition(_ name: String, _ value: [UInt8]) -> EntrySelection.Condition? {
            switch name {
            case "target": .target(value)
            case "prefix": .prefix(value)
            case "match": PathPattern(value).map { .pattern($0) }
            case "storefront": .storefront(value)
            case "class": number(value).flatMap { UInt8(exactly: $0) }.map { .classTag($0) }
            case "resource": resource(value)
            default: nil
            }
        }

        private static func resource(_ digits: [UInt8]) -> EntrySelection.Condition? {
            guard digits.count == 16, let number = UInt64(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            // No sign and no upper case: there is one spelling.
            var written: [UInt8] = []
            written.appendHexadecimal(number)
            return written == digits ? .resource(number) : nil
        }
    }
}
