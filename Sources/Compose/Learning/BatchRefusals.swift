import AppleMusic

// Lists by ids that the origin does not know, though it has one of what they name. Pure.
// Must hold: one answer does not switch a kind of list off for good, nor does a client by asking
// for what does not exist: a refusal counts when a member of the list has come alone.

/// Refused kinds of batches: a kind rests for some misses, and twice as long after each refusal.
struct BatchRefusals: Sendable {
    /// A kind of single resources; batches of it are refused.
    private struct Kind: Hashable {
        let shape: RequestShape
        let storefront: Storefront
    }

    /// In misses that might have waited for others.
    private struct Rest {
        var left: Int
        let length: Int
    }

    private var rests: [Kind: Rest] = [:]

    /// A list that is refused makes its members wait for a request in vain. With 100 members, one
    /// miss in 600 waits so in the end.
    static let shortestRest = 64
    static let longestRest = 65_536
    /// The most kinds, above what apps ask for; then the one whose rest ends first gives way.
    static let mostKinds = 256

    /// Whether a list of this kind is to be tried, for a miss that might wait for others.
    mutating func mayTry(_ shape: RequestShape, _ storefront: Storefront) -> Bool {
        guard !rests.isEmpty, let index = rests.index(forKey: Kind(shape: shape, storefront: storefront)),
            rests.values[index].left > 0
        else { return true }
        rests.values[index].left -= 1
        return false
    }

    /// A list was refused, and one of its members has come alone. Lists that were under way
    /// together count as one.
    mutating func noteRefused(_ shape: RequestShape, _ storefront: Storefront) {
        let kind = Kind(shape: shape, storefront: storefront)
        var length = Self.shortestRest
        if let rest = rests[kind] {
            guard rest.left == 0 else { return }
            length = min(rest.length * 2, Self.longestRest)
        } else {
            makeRoom()
        }
        rests[kind] = Rest(left: length, length: length)
    }

    /// A list was answered.
    mutating func noteAnswered(_ shape: RequestShape, _ storefront: Storefront) {
        guard !rests.isEmpty else { return }
        rests[Kind(shape: shape, storefront: storefront)] = nil
    }

    private mutating func makeRoom() {
        guard rests.count >= Self.mostKinds else { return }
        if let first = rests.min(by: { $0.value.left < $1.value.left }) { rests[first.key] = nil }
    }
}
