import Freshness
import Text

extension Checksum {
    /// The checksum of a row of `entry`, given that of its content.
    static func ofEntry(
        key: CacheKey, status: Int, classTag: UInt8, receivedAt: Int64, lifetime: Lifetime, storefront: [UInt8],
        selecting: [UInt8], contentSum: UInt64
    ) -> UInt64 {
        var sum = Checksum()
        sum.combine(key.bytes[...])
        for number in [
            status, Int(classTag), Int(receivedAt), lifetime.initialAge, lifetime.freshFor, lifetime.staleFor,
            lifetime.staleIfErrorFor, lifetime.keepFor,
        ] {
            sum.combine(number)
        }
        sum.combine(storefront[...])
        sum.combine(selecting[...])
        sum.combine(contentSum)
        return sum.value
    }
}
