import Foundation

/// Single requests whose fields matter.
enum Curl {
    /// The fields of a 200, their names in lower case.
    /// - Parameter asking: fields of the request.
    static func head(_ url: String, asking fields: [String] = []) throws -> [String: String] {
        guard let curl = Child.find("curl") else { throw BenchError("curl is not installed (apt-get install curl)") }
        let options = ["-s", "-k", "-D", "-", "-o", "/dev/null"] + fields.flatMap { ["-H", $0] }
        return try Self.fields(Child.output(of: curl, options + [url]), url)
    }

    static func fields(_ text: String, _ url: String) throws -> [String: String] {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let status = lines.first?.split(separator: " ").dropFirst().first, status == "200" else {
            throw BenchError("\(url) is answered \(lines.first ?? "nothing")")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return fields
    }
}
