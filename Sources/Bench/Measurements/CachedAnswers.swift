import Cache
import Freshness
import Text

/// Answers for the cache benchmarks: numbered, of chosen sizes, the same in each run.
enum CachedAnswers {
    /// A moment within which all of them are fresh, unix seconds.
    static let now: Int64 = 1_800_000_000

    private static let fields = Array("Content-Type: application/json;charset=utf-8\r\nVary: Accept-Encoding\r\n".utf8)

    static func key(_ number: Int) -> CacheKey {
        CacheKey(
            of: .none, scope: .shared, target: Array("/v1/catalog/us/songs/\(1_440_000_000 + number)?l=en-US".utf8))
    }

    /// 1 to 8 KiB, each size as likely as the next, always the same for a number.
    static func realisticBytes(_ number: Int) -> Int {
        var numbers = SplitMix64(seed: UInt64(number))
        return Int.random(in: 1024...8192, using: &numbers)
    }

    /// Bytes to store of an answer, without those that the cache adds.
    static func storedBytes(_ answer: StoredResponse) -> Int {
        answer.body.count + answer.fields.count + answer.key.bytes.count
    }

    static func answer(_ number: Int, bytes: Int, at receivedAt: Int64 = now) -> StoredResponse {
        StoredResponse(
            key: key(number), status: 200, fields: fields,
            body: Array(repeating: UInt8(truncatingIfNeeded: number), count: bytes), receivedAt: receivedAt,
            lifetime: Lifetime(freshFor: 86_400 * 365), classTag: 1, storefront: Array("us".utf8))
    }
}
