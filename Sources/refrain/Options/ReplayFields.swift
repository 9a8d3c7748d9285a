import AppleMusic
import Recording

// Fields that go with every request of a replay. Secrets come from a file that no other user can
// read, and never from an argument, which all users of the machine can see.

extension ReplayOptions {
    /// Names that hold secrets.
    static let secretNames = [
        "authorization", "music-user-token", "media-user-token", "cookie", "proxy-authorization", "x-refrain-key",
    ]
    /// Names that say how messages are told apart, which is the program's own affair.
    static let framingNames = ["content-length", "transfer-encoding", "connection", "expect", "upgrade", "te"]

    static func fields(_ arguments: CommandArguments) throws(CommandFailure) -> [RecordedField] {
        var fields: [RecordedField] = []
        for text in arguments.all(header) {
            let field = try field(text, "--\(header.name)")
            guard !secretNames.contains(field.name) else {
                throw .usage("--\(header.name): \(field.name) is a secret; put it into a file for --\(headerFile.name)")
            }
            fields.append(field)
        }
        if let path = arguments.value(headerFile) { fields += try Self.fields(inFile: path) }
        if !fields.contains(where: { $0.name == "user-agent" }) {
            fields.append(RecordedField("user-agent", "refrain-replay/\(ProgramVersion.text)"))
        }
        return fields
    }

    private static func fields(inFile path: String) throws(CommandFailure) -> [RecordedField] {
        let content = try attempt("--\(headerFile.name)") { try SecretFile.read(path) }
        let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        return try lines.filter { !$0.element.isEmpty }.map { line throws(CommandFailure) in
            try field(String(line.element), "\(path):\(line.offset + 1)")
        }
    }

    /// - Parameter place: where the text is from, for an error; no value is repeated, for it may be
    ///   a secret.
    private static func field(_ text: String, _ place: String) throws(CommandFailure) -> RecordedField {
        guard let colon = text.firstIndex(of: ":") else { throw .usage("\(place): not of the form 'Name: value'") }
        let name = text[..<colon].lowercased()
        let value = text[text.index(after: colon)...].drop { $0 == " " }
        guard RecordedField.isName(name), RecordedField.isValue(String(value)) else {
            throw .usage("\(place): not of the form 'Name: value'")
        }
        guard !framingNames.contains(name) else { throw .usage("\(place): \(name) cannot be set by a replay") }
        return RecordedField(name, String(value))
    }
}
