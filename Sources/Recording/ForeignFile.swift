/// Files that are given for recordings by mistake, told by how they begin.
enum ForeignFile {
    private static let beginnings: [(bytes: [UInt8], name: String)] = [
        ([0x1F, 0x8B], "compressed with gzip; unpack it first"),
        ([0x28, 0xB5, 0x2F, 0xFD], "compressed with zstd; unpack it first"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "compressed with xz; unpack it first"),
        (Array("BZh".utf8), "compressed with bzip2; unpack it first"),
        (Array("PK\u{3}\u{4}".utf8), "a zip archive; unpack it first"),
        (Array("SQLite format 3\0".utf8), "an SQLite database, not a recording"),
        ([0x89, 0x50, 0x4E, 0x47], "an image"), ([0xFF, 0xD8, 0xFF], "an image"), (Array("GIF8".utf8), "an image"),
        ([0xFF, 0xFE], "UTF-16; recordings and HAR are UTF-8"), ([0xFE, 0xFF], "UTF-16; recordings and HAR are UTF-8"),
        (Array("<".utf8), "HTML or XML, not a recording"),
    ]

    /// The end of sentences about other tools' files, which hold requests without times or answers.
    private static let advice =
        "send its requests through the proxy while \"record FILE\" is configured, and give that FILE"

    /// The file's kind and the remedy; nil where it may be a recording.
    static func name(_ beginning: ArraySlice<UInt8>) -> String? {
        let text = beginning.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        if let known = beginnings.first(where: { text.starts(with: $0.bytes) }) { return known.name }
        return text.first == UInt8(ascii: "{") ? ofObject(text) : ofScript(text)
    }

    /// The tool that wrote an object, by the names of its members.
    private static func ofObject(_ text: ArraySlice<UInt8>) -> String? {
        let bytes = Array(text)
        var walker = JSONWalker(bytes)
        var members: [String: ArraySlice<UInt8>] = [:]
        guard (try? walker.enter("{")) == true else { return nil }
        // Members after the first kilobytes, and after an error, are not looked at.
        while let name = try? walker.nextMember() {
            let start = walker.position
            let value = try? walker.value()
            members[name] = bytes[value ?? start..<bytes.count]
            if value == nil { break }
        }
        func has(_ name: String, _ word: String) -> Bool { members[name].map { contains($0, word) } ?? false }
        if has("info", "getpostman.com") || has("info", "_postman_id") || members["_postman_variable_scope"] != nil {
            return "a file of Postman, not a recording; \(advice)"
        }
        if members["__export_format"] != nil, has("_type", "export") {
            return
                "an export of Insomnia, not a recording; export the requests as HAR, with their answers, or \(advice)"
        }
        if members["metric"] != nil, has("type", "Metric") || has("type", "Point") {
            return "results of k6, not a recording; \(ofK6)"
        }
        if ["target", "offset"].allSatisfy({ members[$0] != nil }) {
            return "a line of a recording without its first line, {\"refrain_recording\":1,...}; put that before it"
        }
        if ["outcome", "status", "seconds"].allSatisfy({ members[$0] != nil }) { return Self.accessLog }
        if members["root_group"] != nil, members["metrics"] != nil {
            return "a summary of k6, not a recording; \(ofK6)"
        }
        return nil
    }

    private static func ofScript(_ text: ArraySlice<UInt8>) -> String? {
        let bytes = text.prefix(4096)
        if contains(bytes, "collection.insomnia.rest/") || contains(bytes, "environment.insomnia.rest/") {
            return
                "an export of Insomnia, not a recording; export the requests as HAR, with their answers, or \(advice)"
        }
        // 127.0.0.1 - web [22/Nov/2026:02:42:15 +0000] "GET /v1/a HTTP/1.1" 200 ...
        let line = bytes.prefix { $0 != 0x0A }
        if [" - ", " [", "] \""].allSatisfy({ contains(line, $0) }) { return Self.accessLog }
        let isK6 = ["'k6'", "\"k6\"", "'k6/", "\"k6/"].contains { contains(bytes, $0) }
        return isK6 ? "a script of k6, not a recording; \(ofK6)" : nil
    }

    private static let accessLog = "an access log, which has no answers; \(advice)"
    private static let ofK6 = "give the HAR file that the script was made from, or \(advice)"

    private static func contains(_ bytes: ArraySlice<UInt8>, _ word: String) -> Bool {
        let word = Array(word.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: word) }
    }
}
