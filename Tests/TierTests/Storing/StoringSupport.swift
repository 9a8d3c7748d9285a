import EventLoop
import Purging
import Store
import Testing

@testable import Cache
@testable import Freshness
@testable import Tier

/// A fixed moment, so that no test depends on the clock.
let noon: Int64 = 1_800_000_000

func key(_ target: String, _ variant: String = "", _ scope: CacheKey.Scope = .shared) -> CacheKey {
    CacheKey(of: .none, scope: scope, target: Array(target.utf8), variant: Array(variant.utf8))
}

func answer(
    _ target: String, _ body: String = "{}", variant: String = "", at receivedAt: Int64 = noon,
    lifetime: Lifetime = Lifetime(freshFor: 1_000), scope: CacheKey.Scope = .shared, storefront: String = "us",
    classTag: UInt8 = 1, selecting: String = "", resources: [UInt64] = [], gzip: [UInt8]? = nil
) -> StoredResponse {
    StoredResponse(
        key: key(target, variant, scope), status: 200, fields: Array("Content-Type: application/json\r\n".utf8),
        body: Array(body.utf8), receivedAt: receivedAt, lifetime: lifetime, classTag: classTag,
        storefront: Array(storefront.utf8), selecting: Array(selecting.utf8), resources: resources, gzip: gzip)
}

extension TierValue {
    func bytes() throws -> [UInt8] { try #require(encoded()) }
}

/// A user; nil where libcrypto refuses.
func someone() -> UserHash? {
    let token = Array("token".utf8)
    return UserHashKey(bytes: [1]).hash(token: token.span)
}

let epoch = LogEpoch(number: 0x0123_4567_89AB_CDEF)

func logMark(_ milliseconds: UInt64, _ sequence: UInt64 = 0) -> LogMark {
    LogMark(epoch, LogPosition(milliseconds, sequence))
}

extension PurgeLogPage {
    /// A page of an engine whose mark is nought.
    init(_ epoch: LogEpoch, first: LogPosition?, last: LogPosition, hasForgotten: Bool, entries: [PurgeLogEntry]) {
        self.init(
            epoch: epoch, stored: epoch, place: nil, first: first, last: last, hasForgotten: hasForgotten,
            entries: entries)
    }
}

func purge(
    _ conditions: EntrySelection.Condition..., mode: PurgeMode = .hard, at time: Int64 = noon, by node: String = "a"
) -> PurgeRecord {
    PurgeRecord(
        selection: EntrySelection(conditions), mode: mode, at: time, node: node)
}
