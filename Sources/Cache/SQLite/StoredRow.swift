// One row as it was read: nothing in it is believed before the checksum agrees.
// Must hold: no value of a damaged file can trap; a response comes out only if all of it is as it was written.

struct StoredRow {
    /// The columns in the order that `init` reads them; the key is ?1.
    static let select = """
        SELECT target, variant, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for,
          keep_for, storefront, checksum, fields, body,
          selecting, resources
        FROM entry JOIN content USING (id) WHERE entry.key = ?1
        """

    private let target: [UInt8]
    private let variant: [UInt8]
    /// Columns 2 to 9: class, status, times.
    private let numbers: [Int64]
    private let storefront: [UInt8]
    private let checksum: UInt64
    private let fields: [UInt8]
    private let body: [UInt8]
    private let selecting: [UInt8]
    private let resources: [UInt64]

    init(_ row: Row) {
        target = row.bytes(0)
        variant = row.bytes(1)
        numbers = (2...9).map { row.integer($0) }
        storefront = row.bytes(10)
        checksum = UInt64(bitPattern: row.integer(11))
        fields = row.bytes(12)
        body = row.bytes(13)
        selecting = row.bytes(14)
        resources = row.words(15)
    }

    /// Whether the row is that of `key`, and not of another with the same 64 bits.
    func belongs(to key: CacheKey) -> Bool {
        !key.isPersonal && key.target.elementsEqual(target) && key.variant.elementsEqual(variant)
    }

    /// The response, or nil where the row is damaged. With `key` given its bytes are shared rather than built again.
    func response(for key: CacheKey?) -> StoredResponse? {
        guard !variant.contains(0), let classTag = UInt8(exactly: numbers[0]), (100...999).contains(numbers[1]),
            (0...Self.latest).contains(numbers[2]),
            numbers[3...].allSatisfy({ (0...Int64(Lifetime.longest)).contains($0) })
        else { return nil }
        let lifetime = Lifetime(
            freshFor: Int(numbers[4]), staleFor: Int(numbers[5]), staleIfErrorFor: Int(numbers[6]),
            keepFor: Int(numbers[7]), initialAge: Int(numbers[3]))
        let response = StoredResponse(
            restoring: key ?? CacheKey(scope: .shared, target: target, variant: variant), status: Int(numbers[1]),
            fields: fields, body: body, receivedAt: numbers[2], lifetime: lifetime, classTag: classTag,
            storefront: storefront, selecting: selecting, resources: resources)
        return response.checksum == checksum ? response : nil
    }

    /// The year 9999, in unix seconds.
    private static let latest: Int64 = 253_402_300_799
}
