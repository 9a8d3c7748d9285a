import Text

/// A condition of a purge as a name and a value: in the log that nodes share, and on disks. The one
/// table for writing and for reading.
package struct ConditionField: Equatable, Sendable {
    /// Names of the conditions, one for each case of `EntrySelection.Condition`.
    package enum Name: String, Sendable {
        case target, prefix, match, storefront, `class`, resource
    }

    package let name: Name
    package let value: [UInt8]

    /// A new case of `Condition` does not compile without a name here, nor a new name without its
    /// reading in `condition`.
    package init(_ condition: EntrySelection.Condition) {
        (name, value) =
            switch condition {
            case .target(let target): (.target, target)
            case .prefix(let prefix): (.prefix, prefix)
            case .pattern(let pattern): (.match, pattern.bytes)
            case .storefront(let storefront): (.storefront, storefront)
            case .classTag(let tag): (.class, Array("\(tag)".utf8))
            case .resource(let number):
                (.resource, Array(Hexadecimal.text(withUnsafeBytes(of: number.bigEndian) { Array($0) }).utf8))
            }
    }

    /// Nil for a name that this program does not know.
    package init?(_ name: String, _ value: [UInt8]) {
        guard let name = Name(rawValue: name) else { return nil }
        (self.name, self.value) = (name, value)
    }

    /// The condition of this name and value; nil for a value that no writer gives.
    package var condition: EntrySelection.Condition? {
        let text = String(decoding: value, as: UTF8.self)
        let condition: EntrySelection.Condition? =
            switch name {
            case .target: .target(value)
            case .prefix: .prefix(value)
            case .match: PathPattern(value).map { .pattern($0) }
            case .storefront: .storefront(value)
            case .class: UInt8(text).map { .classTag($0) }
            case .resource: UInt64(text, radix: 16).map { .resource($0) }
            }
        // There is one spelling of each number.
        return condition.flatMap { ConditionField($0) == self ? $0 : nil }
    }
}
