// limit and offset (APPLE-MUSIC-API 4.1, 7).

/// A window into a collection, and the rules a request's own is checked by.
struct Paging: Equatable, Sendable {
    var offset = 0
    var limit: Int
}

extension Paging {
    /// Reads `limit` and `offset`. More than the most is an error, not clamped
    /// (APPLE-MUSIC-API 4.1.21).
    init(_ target: SimulatorTarget, _ limits: PageLimits) throws(APIError) {
        limit = limits.standard
        if let text = target.first("limit") {
            limit = try Self.integer(text, parameter: "limit", least: 1, most: limits.most)
        }
        if let text = target.first("offset") {
            offset = try Self.integer(text, parameter: "offset", least: 0)
        }
    }

    static func integer(
        _ text: String, parameter: String, least: Int, most: Int = .max
    ) throws(APIError) -> Int {
        let value = Int(text)
        if let value, (least...most).contains(value) { return value }
        let bound = value.map { $0 < least ? " greater than or equal to \(least)" : " less than or equal to \(most)" }
        throw .invalidParameter(parameter, "Value must be an integer" + (bound ?? "") + ", but was: " + text)
    }
}
