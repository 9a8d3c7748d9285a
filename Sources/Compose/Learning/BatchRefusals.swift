import AppleMusic

// Lists by ids that the origin does not know, though it has one of what they name. Pure.
// Must hold: one answer does not switch a kind of list off for good, nor does a client by asking
// for what does not exist: a refusal counts when a member of the list has come alone.

/// Each kind rests for a minute after a refusal, after the next one for twice as long, and so on.
struct BatchRefusals: Sendable {
    /// Of single resources; the list of such is what is refused.
    private struct Kind: Hashable {
        let shape: RequestShape
        let storefront: Storefront
    }

    private struct Rest {
        var until: Int64
        var seconds: Int64
    }

    private var rests: [Kind: Rest] = [:]

    static let shortestRest: Int64 = 60
    static let longestRest: Int64 = 86_400
    /// More kinds than apps ask for; beyond, the one whose rest ends first gives way.
    static let mostKinds = 256

    /// Whether a list of this kind is not to be tried at this unix second.
    func rests(_ shape: RequestShape, _ storefront: Storefront, at now: Int64) -> Bool {
        guard !rests.isEmpty, let rest = rests[Kind(shape: shape, storefront: storefront)] else { return false }
        return now < rest.until
    }

    /// A list was refused, and one of its members has come alone. Lists that were under way
    /// together count as one.
    mutating func noteRefused(_ shape: RequestShape, _ storefront: Storefront, at now: Int64) {
        let kind = Kind(shape: shape, storefront: storefront)
        let seconds: Int64
        if let rest = rests[kind] {
            guard now >= rest.until else { return }
            seconds = min(rest.seconds * 2, Self.longestRest)
        } else {
            makeRoom()
            seconds = Self.shortestRest
        }
        rests[kind] = Rest(until: now + seconds, seconds: seconds)
    }

    /// A list was answered.
    mutating func noteAnswered(_ shape: RequestShape, _ storefront: Storefront) {
        guard !rests.isEmpty else { return }
        rests[Kind(shape: shape, storefront: storefront)] = nil
    }

    private mutating func makeRoom() {
        guard rests.count >= Self.mostKinds else { return }
        if let first = rests.min(by: { $0.value.until < $1.value.until }) { rests[first.key] = nil }
    }
}
