import CLinux
import Testing

@testable import HTTP

@Suite struct HTTP2AnswerHeadTests {
    private func fields(_ text: String) -> [String] {
        var head = HTTP2AnswerHead()
        let bytes = Array(text.utf8)
        head.read(bytes.span)
        return bytes.withUnsafeBytes { raw in
            head.withFields(in: raw) { fields in
                fields.map { field in
                    let name = UnsafeBufferPointer(start: field.name, count: field.name_count)
                    let value = UnsafeBufferPointer(start: field.value, count: field.value_count)
                    return String(decoding: name, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self)
                }
            }
        }
    }

    /// The status comes first, names are in lower case, and fields of the connection are left out.
    @Test(arguments: [
        ("404 Not Found\r\nContent-Type: a/b\r\nETag: \"x\"\r\n", [":status=404", "content-type=a/b", "etag=\"x\""]),
        (
            "200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nKeep-Alive: 5\r\nAge: 1\r\n",
            [":status=200", "age=1"]
        ),
        ("100 Continue\r\n", [":status=100"]), ("200 OK\r\nX:\r\nY:  \r\n", [":status=200", "x=", "y="]),
    ])
    func theHeadIsTranslated(text: String, translated: [String]) {
        #expect(fields("HTTP/1.1 \(text)\r\n") == translated)
    }
}
