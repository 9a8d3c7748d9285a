import TestSupport
import Testing

/// No number from outside can end the process on its way from a Double to an integer.
@Suite(.requires(SymbolIndex.requirement)) struct ConversionTests {
    private static let helper = "Sources/Text/BoundedConversion.swift"
    /// `T(_:)` of a Double for any integer type T, as generic code calls it.
    private static let generic = "s:Szyxqd__cSBRd__lufc"
    /// The same for each type, as the compiler names them.
    private static let conversions =
        ["s:SiySiSdcfc", "s:SuySuSdcfc"]
        + ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"].map {
            "s:s\($0.utf8.count)\($0)VyABSdcfc"
        }

    @Test func noDoubleBecomesAnIntegerWithoutBounds() throws {
        let index = try #require(SymbolIndex.ofThisBuild)
        let banned = Set((Self.conversions + [Self.generic]).compactMap { index.symbol($0) })
        // Benchmarks count with their own figures alone.
        let found = index.files.filter { !$0.key.hasPrefix("Sources/Bench/") }.flatMap { file, places in
            places.filter { banned.contains($0.symbol) }.map { (file, "\(file):\($0.line)") }
        }
        #expect(found.contains { $0.0 == Self.helper }, "the names above are not those of this compiler any more")
        let offences = found.filter { $0.0 != Self.helper }.map(\.1)
        expectNone(offences.sorted(), "write Int(clamping: value), which ends no process")
    }
}
