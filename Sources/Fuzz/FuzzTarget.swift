/// A parser of foreign bytes, and the properties that hold for any bytes.
struct FuzzTarget: Sendable {
    let name: String
    let summary: String
    /// Traps where something does not hold.
    let run: @Sendable ([UInt8]) -> Void
    /// Inputs to begin with.
    let seeds: @Sendable () -> [[UInt8]]

    static let table = [
        requests, responses, chunks, replies, documents, targets, recordings, gzip, proxyHeaders, http2,
    ]

    static func named(_ name: String) -> FuzzTarget? { table.first { $0.name == name } }
}

/// Offsets at which the same bytes are cut in pieces, different ones for different bytes.
func cuts(_ bytes: [UInt8]) -> [Int] {
    guard !bytes.isEmpty else { return [] }
    let hash = bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return (0..<4).map { Int(hash >> UInt64($0 * 13) & 0xFFFF) % bytes.count }.sorted()
}

/// Reads the same bytes whole, in pieces, and, if few, byte by byte.
///
/// Traps where the results differ.
/// - Parameter read: reads `bytes`, cut at these offsets.
func readInPieces<R: Equatable>(_ bytes: [UInt8], _ read: (_ cuts: [Int]) -> R) -> R {
    let whole = read([])
    precondition(read(cuts(bytes)) == whole, "cut in pieces it is read otherwise")
    if bytes.count <= 2_048 { precondition(read(Array(1..<max(bytes.count, 1))) == whole, "byte by byte") }
    return whole
}

/// The bytes between those offsets.
func pieces(_ bytes: [UInt8], cuts: [Int]) -> [ArraySlice<UInt8>] {
    zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }.filter { !$0.isEmpty }
}
