@testable import refrain

/// Files that exist only in a test: their texts, and the faults of those that cannot be used.
struct MemoryFiles {
    var texts: [String: String] = [:]
    var problems: [String: String] = [:]

    var access: FileAccess {
        let (texts, problems) = (texts, problems)
        return FileAccess(
            read: { path throws(FileProblem) in
                guard let text = texts[path] else { throw .absent }
                return Array(text.utf8)
            },
            problem: { path in texts[path] == nil ? problems[path] ?? FileProblem.absent.message : nil },
            secretProblem: { path, _ in problems[path] })
    }
}

/// The configuration in `text`, whose file is called `proxy.conf`.
func read(_ text: String, problems: [String: String] = [:]) throws(CommandFailure) -> EffectiveConfiguration {
    let files = MemoryFiles(texts: ["proxy.conf": text, "cert.pem": "", "ca.pem": ""], problems: problems)
    return try ConfigurationReader.read("proxy.conf", files: files.access)
}

/// A configuration of these lines that leaves the machine alone: unless they say otherwise, its
/// listeners have free ports, its origin is not there, and it keeps and logs nothing.
func quiet(_ lines: String) -> String {
    let written = Set(lines.split(separator: "\n").map { $0.prefix { $0 != " " } })
    let standing = [
        "listen 127.0.0.1:0", "admin_listen 127.0.0.1:0", "upstream http://127.0.0.1:1", "cache_file off",
        "access_log off",
    ].filter { line in !written.contains(line.prefix { $0 != " " }) }
    return ([lines] + standing).joined(separator: "\n")
}

/// Everything that is wrong with `text`, one string each.
func complaints(_ text: String, problems: [String: String] = [:]) -> [String] {
    do throws(CommandFailure) {
        _ = try read(text, problems: problems)
        return []
    } catch {
        return error.messages
    }
}
