import HTTP
import TestSupport
import Testing

@Suite struct ByteBufferTests {
    private func text(_ buffer: borrowing ByteBuffer) -> String {
        String(decoding: buffer.copyReadable(), as: UTF8.self)
    }

    @Test func bytesComeOutAsTheyWentIn() {
        var buffer = ByteBuffer(capacity: 2)
        buffer.append(UInt8(ascii: "a"))
        buffer.append("bc")
        buffer.append([UInt8]("de".utf8))
        buffer.append([UInt8]("xfg".utf8)[1...])
        buffer.append(String("h\u{e4}"))
        let span = [UInt8]("i".utf8)
        buffer.append(span.span)
        let found1 = text(buffer)
        #expect(found1 == "abcdefgh\u{e4}i")
    }

    @Test func numbersAreWrittenWithoutLeadingZeros() {
        for number in [0, 1, 9, 10, 255, 4096, Int.max] {
            var decimal = ByteBuffer(capacity: 1)
            decimal.append(decimal: number)
            let found2 = text(decimal)
            #expect(found2 == String(number))
            var hexadecimal = ByteBuffer(capacity: 1)
            hexadecimal.append(hexadecimal: number)
            let found3 = text(hexadecimal)
            #expect(found3 == String(number, radix: 16))
        }
        var least = ByteBuffer(capacity: 1)
        least.append(decimal: Int.min)
        let found4 = text(least)
        #expect(found4 == String(Int.min))
    }

    @Test func roomIsMadeByMovingBeforeGrowing() {
        var buffer = ByteBuffer(capacity: 8)
        buffer.append([1, 2, 3, 4, 5, 6])
        buffer.consume(4)
        buffer.append([7, 8, 9, 10])
        let found5 = buffer.capacity
        #expect(found5 == 8)
        let found6 = buffer.copyReadable()
        #expect(found6 == [5, 6, 7, 8, 9, 10])
        buffer.append([11, 12, 13])
        let found7 = buffer.capacity
        #expect(found7 > 8)
        let found8 = buffer.copyReadable()
        #expect(found8 == [5, 6, 7, 8, 9, 10, 11, 12, 13])
    }

    @Test func writingInPlaceMakesOnlyWhatWasWrittenReadable() {
        var buffer = ByteBuffer(capacity: 4)
        buffer.append([1])
        let room = buffer.withUnsafeWritable(minimum: 100) { memory in
            memory[0] = 2
            memory[1] = 3
            return (written: 1, result: memory.count)
        }
        #expect(room >= 100)
        let found9 = buffer.copyReadable()
        #expect(found9 == [1, 2])
        let found10 = buffer.withUnsafeReadable { Array($0) }
        #expect(found10 == [1, 2])
        let found11 = buffer.withReadable { $0.count }
        #expect(found11 == 2)
    }

    @Test func wipingLeavesNothingBehind() {
        var buffer = ByteBuffer(capacity: 16)
        buffer.append([UInt8](repeating: 0xAA, count: 12))
        buffer.consume(3)
        buffer.wipe()
        let found12 = buffer.isEmpty
        #expect(found12)
        let left = buffer.withUnsafeWritable(minimum: 0) { (written: 0, result: Array($0)) }
        #expect(left == [UInt8](repeating: 0, count: 16))
    }

    @Test func removingKeepsOrDropsTheStorage() {
        var buffer = ByteBuffer(capacity: 16)
        buffer.append([1, 2, 3])
        buffer.removeAll(keepingCapacity: true)
        let found13 = buffer.isEmpty
        #expect(found13)
        let found14 = buffer.capacity
        #expect(found14 == 16)
        buffer.removeAll(keepingCapacity: false)
        let found15 = buffer.capacity
        #expect(found15 == 0)
        buffer.append([4])
        let found16 = buffer.copyReadable()
        #expect(found16 == [4])
    }

    @Test(arguments: 0..<100)
    func anySequenceOfCallsEqualsAnArray(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var buffer = ByteBuffer(capacity: Int.random(in: 0...20, using: &generator))
        var model: [UInt8] = []
        for _ in 0..<200 {
            if Bool.random(using: &generator) {
                let bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
                buffer.append(bytes)
                model += bytes
            } else {
                let count = Int.random(in: 0...model.count, using: &generator)
                buffer.consume(count)
                model.removeFirst(count)
            }
            let found17 = buffer.copyReadable()
            #expect(found17 == model, "seed \(seed)")
            let found18 = buffer.readableCount
            #expect(found18 == model.count)
        }
    }

    @Test func aHeadIsWrittenAsItIsOnTheWire() {
        var buffer = ByteBuffer(capacity: 1)
        buffer.appendStatusLine(404)
        buffer.appendField("A", "b")
        buffer.appendField("Content-Length", 12)
        buffer.appendField("C", [UInt8]("d".utf8))
        buffer.appendField("E", String("f"))
        buffer.appendField("Date", date: 784_111_777)
        buffer.appendEndOfHead()
        let written = text(buffer)
        #expect(
            written
                == "HTTP/1.1 404 Not Found\r\nA: b\r\nContent-Length: 12\r\nC: d\r\nE: f\r\n"
                + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n")
    }

    @Test func aValueCannotEndItsLine() {
        var buffer = ByteBuffer(capacity: 1)
        buffer.appendField("A", String("b\r\nSet-Cookie: c\u{0}\td\u{7F}"))
        let found19 = text(buffer)
        #expect(found19 == "A: b  Set-Cookie: c \td \r\n")
    }

    @Test func everyUsualStatusHasAReason() {
        for status in 100...599 {
            #expect(reasonPhrase(status).utf8CodeUnitCount > 0)
        }
        #expect(String(describing: reasonPhrase(431)) == "Request Header Fields Too Large")
        #expect(String(describing: reasonPhrase(799)) == "Unknown")
    }
}
