import Cache
import HTTP
import Server

/// The proxy's plan for a request that comes again and again. Confined to its loop.
final class MemoizedPlan {
    /// Set while the request is a plain hit.
    var hit: PlainHit?
    /// The last note of the request in a recording.
    var noted: NotedSubject?
    private var madeExcerpt: [UInt8]?

    /// The request's recorded form; made once.
    func excerpt(of head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8] {
        if let madeExcerpt { return madeExcerpt }
        var excerpt: [UInt8] = []
        head.appendExcerpt(bytes, to: &excerpt)
        madeExcerpt = excerpt
        return excerpt
    }
}

/// The part of a plain hit's plan that follows from the bytes of the request alone.
final class PlainHit {
    let key: CacheKey
    let template: String?

    init(_ key: CacheKey, _ template: String?) {
        self.key = key.compacted()
        self.template = template
    }
}

extension RepeatedRequest {
    /// The memoized plan, if there is one.
    @inline(__always)
    var knownPlan: MemoizedPlan? { plan as? MemoizedPlan }

    /// The memoized plan; an empty one is made if there is none.
    var madePlan: MemoizedPlan {
        if let known = knownPlan { return known }
        let made = MemoizedPlan()
        plan = made
        return made
    }
}
