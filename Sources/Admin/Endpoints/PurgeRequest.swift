import Purging
import Store
import Text

// The content of POST /purge, read strictly, because a misread purge cannot be undone. Must hold:
// nothing is purged that was not named; a member that is not understood is an error; errors name
// the member and the expected value, and repeat nothing but a member's name.

/// A purge as an operator asks for it: an object with the selectors, `all`, `hard`, `dry_run` and
/// `wait`. Selectors narrow each other; `all` is given alone.
public struct PurgeRequest: Sendable {
    private(set) var selection = EntrySelection()
    private(set) var mode = PurgeMode.soft
    /// Whether the answer waits for the count; if not, only until a restart cannot lose the purge.
    private(set) var waits = true
    private var isForAll = false
    private var isHard = false
    private var isDryRun = false
    /// The request on one line of bounded length, for the log.
    private(set) var description = ""

    private static let selectors = (EntrySelector.purging.map(\.name) + ["all"]).joined(separator: ", ")
    static let members = selectors + ", hard, dry_run, wait"

    /// Reads a JSON object.
    public init(_ content: [UInt8]) throws(AdminRequestError) {
        guard let object = (try? JSON.parse(content))?.objectValue else {
            throw AdminRequestError(detail: "Expected a JSON object with one of \(Self.selectors).")
        }
        guard Set(object.keys).count == object.count else {
            throw AdminRequestError(detail: "A member is given twice.")
        }
        for member in object.members { try take(member.key, member.value) }
        guard isForAll || selection != EntrySelection() else {
            throw AdminRequestError(detail: "No selector is given: expected one of \(Self.selectors).")
        }
        guard !isForAll || selection == EntrySelection() else {
            throw AdminRequestError(detail: "all: cannot be combined with another selector.")
        }
        mode = isDryRun ? .dryRun : isHard ? .hard : .soft
        guard waits || mode != .dryRun else {
            throw AdminRequestError(detail: "wait: expected true with dry_run, which answers the count alone.")
        }
        // Serialised again, so that it has no control character of the request.
        description = String(decoding: JSON.object(object).bytes.prefix(1024), as: UTF8.self)
    }

    private mutating func take(_ name: String, _ value: JSON) throws(AdminRequestError) {
        switch name {
        case "all": isForAll = try Self.flag(name, value)
        case "hard": isHard = try Self.flag(name, value)
        case "dry_run": isDryRun = try Self.flag(name, value)
        case "wait": waits = try Self.flag(name, value)
        default:
            guard let selector = EntrySelector.purging.first(where: { $0.name == name }) else {
                let shown = AdminRequestError.shown(name, otherwise: "A member")
                throw AdminRequestError(detail: "\(shown): unknown; known are \(Self.members).")
            }
            guard let text = value.stringValue else {
                throw AdminRequestError(detail: "\(name): expected a string.")
            }
            selection.narrow(by: try selector.condition(text))
        }
    }

    private static func flag(_ name: String, _ value: JSON) throws(AdminRequestError) -> Bool {
        guard case .bool(let flag) = value else { throw AdminRequestError(detail: "\(name): expected true or false.") }
        return flag
    }
}
