import Cache
import Text

// One purge as an entry of the log: names and values, each of any bytes.
// Must hold: every purge that any version of this program ever writes takes at least what it chose
// out of use in every other version. So a reader that does not understand an entry to the last
// field takes it for a purge of everything.

/// A purge as all nodes are told of it.
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
/// Conditions may come more than once; all must hold, and without one everything is meant. Numbers
/// of classes and of resources mean the same to every version, or `v` is counted up.
struct PurgeRecord: Sendable, Equatable {
    let selection: EntrySelection
    /// `hard` or `soft`.
    let mode: PurgeMode
    /// When it was asked for, unix seconds by the clock of the node that was asked: where the
    /// freshness of what it chose ends, if it is soft.
    let at: Int64
    /// Which node that was; empty where the entry was not understood.
    let node: String
    /// Whether it says what its writer meant. False: it was taken for a purge of everything.
    let isUnderstood: Bool

    /// A purge that was asked for here; nil for one that only counts, which other nodes do not need
    /// to hear of.
    init?(_ selection: EntrySelection, _ mode: PurgeMode, at now: Int64, by node: String) {
        guard mode != .dryRun else { return nil }
        self.init(selection: selection, mode: mode, at: max(now, 0), node: node, isUnderstood: true)
    }

    init(selection: EntrySelection, mode: PurgeMode, at: Int64, node: String, isUnderstood: Bool) {
        (self.selection, self.mode, self.at, self.node) = (selection, mode, at, node)
        self.isUnderstood = isUnderstood
    }

    /// What it chooses, for the log: on one line of bounded length.
    var words: String {
        // Behind the version, the mode, the time and the node.
        let words = fields.dropFirst(8).map { String(decoding: $0, as: UTF8.self) }
        guard !words.isEmpty else { return "everything" }
        let text = stride(from: 0, to: words.count, by: 2).map { words[$0] + " " + words[$0 + 1] }
            .joined(separator: ", ")
        // Other nodes wrote it: no control character of theirs stands in a line of this one's.
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
        append("mode", Array((mode == .hard ? "hard" : "soft").utf8))
        append("at", Array("\(at)".utf8))
        append("by", Array(node.utf8))
        for condition in selection.conditions {
            switch condition {
            case .target(let target): append("target", target)
            case .prefix(let prefix): append("prefix", prefix)
            case .pattern(let pattern): append("match", pattern.bytes)
            case .storefront(let storefront): append("storefront", storefront)
            case .classTag(let tag): append("class", Array("\(tag)".utf8))
            case .resource(let number):
                var digits: [UInt8] = []
                digits.appendHexadecimal(number)
                append("resource", digits)
            }
        }
        return fields
    }
}
