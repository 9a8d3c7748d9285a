import Text

/// Whether an error of the API is about the target, and so the same for everyone and each time
/// (APPLE-MUSIC-API 8.3 to 8.5).
public enum RequestBlame {
    /// Invalid Parameter Value, Missing Parameter, Invalid Path Value. Others are about the user
    /// (`40015`), or not known.
    private static let codes: Set<String> = ["40003", "40005", "40008"]
    /// The longest body that is read; errors have a few hundred bytes.
    static let mostBytes = 16 << 10

    /// Whether all errors in the body of a 400 blame the path or a parameter.
    public static func isOnTarget(_ body: [UInt8]) -> Bool {
        guard body.count <= mostBytes, let errors = (try? JSON.parse(content: body.span))?["errors"]?.arrayValue else {
            return false
        }
        return !errors.isEmpty
            && errors.allSatisfy { error in
                guard let code = error["code"]?.stringValue else { return false }
                return codes.contains(code)
            }
    }
}
