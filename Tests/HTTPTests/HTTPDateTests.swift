import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPDateTests {
    private func parse(_ text: String) -> Int64? {
        HTTPDate.parse([UInt8](text.utf8).span)
    }

    private func write(_ seconds: Int64) -> String {
        var buffer = ByteBuffer(capacity: 29)
        HTTPDate.append(seconds, to: &buffer)
        return String(decoding: buffer.copyReadable(), as: UTF8.self)
    }

    @Test func theThreeFormatsMeanTheSameInAnyCase() {
        #expect(parse("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(parse("Sunday, 06-Nov-94 08:49:37 GMT") == 784_111_777)
        #expect(parse("Sun Nov  6 08:49:37 1994") == 784_111_777)
        #expect(parse("Wed Nov 16 08:49:37 1994") == 784_975_777)
        #expect(parse("sUN, 06 nOV 1994 08:49:37 gmt") == 784_111_777)
        #expect(parse("SUNDAY, 06-NOV-94 08:49:37 GMT") == 784_111_777)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nev 1994 08:49:37 GMT",
        "San, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GM", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sunda, 06-Nov-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT", ",",
        "Sunday,", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "Sun Nov +6 08:49:37 1994",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
    ])
    func anythingElseIsNoDate(text: String) { #expect(parse(text) == nil) }

    @Test func aShortYearIsInTheNearestCentury() {
        #expect(parse("Thursday, 18-Aug-50 02:01:18 GMT") == parse("Thu, 18 Aug 2050 02:01:18 GMT"))
        #expect(parse("Friday, 01-Jan-77 00:00:00 GMT") == parse("Sat, 01 Jan 1977 00:00:00 GMT"))
        #expect(parse("Wednesday, 01-Jan-76 00:00:00 GMT") == parse("Wed, 01 Jan 2076 00:00:00 GMT"))
    }

    @Test func edgesOfTheCalendar() {
        #expect(write(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(write(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(write(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(write(2_147_483_648) == "Tue, 19 Jan 2038 03:14:08 GMT")
        #expect(write(253_402_300_799) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(write(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(write(.min) == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(parse("Sat, 01 Jan 0000 00:00:00 GMT") == -62_167_219_200)
        #expect(parse("Sat, 31 Dec 2016 23:59:60 GMT") == parse("Sun, 01 Jan 2017 00:00:00 GMT"))
    }

    @Test(arguments: TestSize.of(0..<100, full: 0..<300))
    func writtenDatesAreReadBack(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator)
        #expect(parse(write(seconds)) == seconds, "seed \(seed)")
    }
}
