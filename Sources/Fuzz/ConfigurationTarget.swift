@testable import refrain

extension FuzzTarget {
    /// Every mistake has its line, and what is shown of a configuration is one of the same meaning.
    static let configuration = FuzzTarget(
        name: "configuration", summary: "proxy.conf",
        run: { bytes in
            do throws(ConfigurationErrors) {
                let effective = try read(bytes)
                let shown = effective.text()
                do throws(ConfigurationErrors) {
                    let again = try read(Array(shown.utf8))
                    precondition(again.configuration == effective.configuration, "what is shown means something else")
                } catch {
                    preconditionFailure("what is shown is refused: \(error.errors)")
                }
            } catch {
                precondition(
                    !error.errors.isEmpty && error.errors.allSatisfy { !$0.message.isEmpty }, "a mistake says what")
                let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
                precondition(error.errors.allSatisfy { ($0.place?.line ?? 1) <= lines }, "and where")
            }
        },
        seeds: {
            [Seeds.file("proxy.conf.example")]
                + Seeds.lines("proxy.conf.example").filter { !$0.isEmpty }.map(Array.init)
        })

    private static func read(_ bytes: [UInt8]) throws(ConfigurationErrors) -> EffectiveConfiguration {
        let files = FileAccess(
            read: { path throws(FileProblem) in
                guard path == "proxy.conf" else { throw .absent }
                return bytes
            }, problem: { _ in nil }, secretProblem: { _, _ in nil })
        return try ConfigurationReader.read("proxy.conf", files: files)
    }
}
