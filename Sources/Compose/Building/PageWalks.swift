// Which clients are walking through a list: they ask for the very offset at which an answer said
// that the list goes on. Pure. Must hold: bounded, and what is forgotten costs a request that is
// not made ahead, nothing else.

/// The continuations that were handed out lately by one loop.
public struct PageWalks {
    private struct Step: Hashable {
        let list: UInt64
        let offset: Int
    }

    /// A page that goes on: of which list, from where on, and where it goes on.
    public struct Page: Equatable {
        /// By the number under which the index has it.
        public let list: UInt64
        /// Where the page begins.
        public let offset: Int
        /// Where the list goes on.
        public let next: Int

        /// - Parameter list: the list's number.
        public init(list: UInt64, offset: Int, next: Int) {
            self.list = list
            self.offset = offset
            self.next = next
        }
    }

    private var steps: Set<Step> = []
    private var order: [Step] = []
    private var oldest = 0

    /// By the hashes of keys, with the answers that were looked at: an answer that has taken the
    /// place of one that is gone may be mistaken for it, which costs a step.
    private var pages: [UInt64: (answer: ObjectIdentifier, page: Page?)] = [:]

    /// None were handed out yet.
    public init() {}

    static let maxSteps = 512
    static let maxPages = 512

    /// The page that an answer is, stored under a key with this hash; nil for what is none. Taking
    /// target and answer apart takes more than half as long as a plain hit does, so it is
    /// remembered.
    public mutating func page(_ hash: UInt64, _ answer: ObjectIdentifier, _ takeApart: () -> Page?) -> Page? {
        if let known = pages[hash], known.answer == answer { return known.page }
        let page = takeApart()
        if pages.count >= Self.maxPages { pages.removeAll(keepingCapacity: true) }
        pages[hash] = (answer, page)
        return page
    }

    /// An answer said that the list goes on there.
    public mutating func handOut(_ list: UInt64, offset: Int) {
        let step = Step(list: list, offset: offset)
        guard steps.insert(step).inserted else { return }
        if order.count < Self.maxSteps { return order.append(step) }
        steps.remove(order[oldest])
        order[oldest] = step
        oldest = (oldest + 1) % Self.maxSteps
    }

    /// Whether a request for this offset goes on where an answer ended.
    public func isStep(_ list: UInt64, offset: Int) -> Bool {
        steps.contains(Step(list: list, offset: offset))
    }
}
