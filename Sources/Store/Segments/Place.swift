// Where a record lies, in one integer: a row and a slot of the directory have eight bytes for it.
// Must hold: it is positive, and says how many bytes to read, so that a record is read at once.

struct Place: Hashable, Sendable {
    /// Segment (24 bits), offset in units (24), span (15): units, as a number of 11 bits and how
    /// often it is doubled.
    let number: Int64

    /// Records begin at multiples of it, in bytes.
    static let unit = 64
    /// The most of one segment, in bytes: offsets are smaller.
    static let longestSegment = unit << 24
    /// Segments are numbered from one up to this.
    static let lastSegment = 1 << 24 - 1
    private static let spanBits: Int64 = 15
    private static let offsetBits: Int64 = 24
    private static let mantissaBits = 11

    /// `offset` is a multiple of `unit`, `span` one that `span(of:)` has returned.
    init(segment: Int, offset: Int, span: Int) {
        var (units, doubled) = (span / Self.unit, 0)
        while units >> Self.mantissaBits > 0 { (units, doubled) = (units >> 1, doubled + 1) }
        let code = Int64(doubled << Self.mantissaBits | units)
        number =
            Int64(segment) << (Self.offsetBits + Self.spanBits) | Int64(offset / Self.unit) << Self.spanBits | code
    }

    /// Nil where it cannot be one.
    init?(_ number: Int64) {
        guard number > 0 else { return nil }
        self.number = number
    }

    /// Reads the column of a row, which is below zero where the row itself has to be asked.
    init?(ofRow number: Int64) { self.init(Int64(clamping: number.magnitude)) }

    var segment: Int { Int(number >> (Self.offsetBits + Self.spanBits)) }
    var offset: Int { Int(number >> Self.spanBits & (1 << Self.offsetBits - 1)) * Self.unit }

    /// The bytes from the record's beginning to its neighbour's.
    var span: Int {
        let code = Int(number & (1 << Self.spanBits - 1))
        return (code & (1 << Self.mantissaBits - 1)) << (code >> Self.mantissaBits) * Self.unit
    }

    /// The span of a record of that many bytes: whole units, and above 128 KiB up to a thousandth
    /// more.
    static func span(of bytes: Int) -> Int {
        var (units, doubled) = ((bytes + unit - 1) / unit, 0)
        while units >> mantissaBits > 0 { (units, doubled) = ((units + 1) >> 1, doubled + 1) }
        return units << doubled * unit
    }
}
