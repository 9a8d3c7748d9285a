/// Targets of `Package.swift`, read as text: the manifest is a program that tests cannot import.
enum PackageManifest {
    /// By the name of the target: the names in its list of dependencies. Test targets are left out.
    static let dependencies: [String: Set<String>] = {
        var found: [String: Set<String>] = [:]
        let text = House.text("Package.swift")
        for opening in ["module(", ".executableTarget(", ".target("] {
            for call in text.split(separator: opening, omittingEmptySubsequences: false).dropFirst() {
                let end = call.firstIndex(of: "]") ?? call.endIndex
                let list = call[..<end]
                guard let name = literals(in: list).first else { continue }
                // A target without a list has the next one's, which begins after its own end.
                let inner = list.firstRange(of: "[").map { list[$0.upperBound...] } ?? ""
                let isOwn = !list.prefix { $0 != "[" }.contains(")")
                found[name] = isOwn ? Set(literals(in: inner)) : []
            }
        }
        return found
    }()

    /// The texts between quotation marks.
    private static func literals(in text: Substring) -> [String] {
        text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
