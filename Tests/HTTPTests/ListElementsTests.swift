import HTTP
import Testing

@Suite struct ListElementsTests {
    private func elements(_ text: String) -> [String] {
        let bytes = [UInt8](text.utf8)
        var list = ListElements(of: bytes.span)
        var found: [String] = []
        while let element = list.next(in: bytes.span) {
            found.append(String(decoding: bytes[element.range], as: UTF8.self))
        }
        return found
    }

    @Test func elementsAreTrimmedAndEmptyOnesSkipped() {
        #expect(elements("a,b , c\t,,\t , d e ,") == ["a", "b", "c", "d e"])
        #expect(elements("") == [])
        #expect(elements(" ,, \t") == [])
        #expect(elements("a") == ["a"])
    }

    @Test func aQuotedCommaSeparatesNothing() {
        #expect(elements("a=\"b, c\", d") == ["a=\"b, c\"", "d"])
        #expect(elements("\"a\\\", b\", c") == ["\"a\\\", b\"", "c"])
        #expect(elements("W/\"x,y\",\"z\"") == ["W/\"x,y\"", "\"z\""])
        // A quote that does not end takes the rest.
        #expect(elements("a, \"b, c") == ["a", "\"b, c"])
        #expect(elements("\"\\") == ["\"\\"])
        #expect(elements("a\\, b") == ["a\\", "b"])
    }
}
