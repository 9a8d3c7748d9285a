import Cache
import HTTP
import Server

/// The proxy's conclusion about a request that comes again and again. Confined to its loop.
final class RequestConclusion {
    /// Set while the request is a plain hit.
    var hit: PlainHit?
    /// Where a recording has noted it last.
    var noted = NotedSubject()
    private var madeExcerpt: [UInt8]?

    /// Its recorded form; made once.
    func excerpt(of head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8] {
        if let madeExcerpt { return madeExcerpt }
        var excerpt: [UInt8] = []
        head.appendExcerpt(bytes, to: &excerpt)
        madeExcerpt = excerpt
        return excerpt
    }
}

/// Conclusions from the bytes of a plain hit's request alone.
final class PlainHit {
    let key: CacheKey
    let template: String?

    init(_ key: CacheKey, _ template: String?) {
        self.key = key.compacted()
        self.template = template
    }
}

extension RepeatedRequest {
    /// The former conclusion, if there is one.
    @inline(__always)
    var knownConclusion: RequestConclusion? { conclusion as? RequestConclusion }

    /// Where conclusions are noted.
    var madeConclusion: RequestConclusion {
        if let known = knownConclusion { return known }
        let made = RequestConclusion()
        conclusion = made
        return made
    }
}
