import Testing
import Text

@Suite struct HexadecimalTests {
    @Test func hexadecimalKeepsTheLowestDigits() {
        var bytes: [UInt8] = [0x78]
        bytes.appendHexadecimal(0xABCD_EF01, digits: 6)
        bytes.appendHexadecimal(0xF, digits: 3)
        #expect(String(decoding: bytes, as: UTF8.self) == "xcdef0100f")
    }

    @Test func everyDigitIsReadInBothCases() {
        for value in UInt8(0)..<16 {
            #expect(Hexadecimal.value(Hexadecimal.lowercase(value)) == value)
            #expect(Hexadecimal.value(Hexadecimal.uppercase(value)) == value)
        }
        for byte in "/:@G`g\u{80}".utf8 { #expect(Hexadecimal.value(byte) == nil) }
        #expect(Hexadecimal.text([0, 0x1F, 0xAB]) == "001fab")
    }
}
