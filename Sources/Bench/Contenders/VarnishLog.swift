/// Varnish writes tens of records for each request into memory that it shares with its log's
/// readers. The other servers write no access log, and so it gets none either: every kind of record
/// is masked. Its version says which there are.
enum VarnishLog {
    /// The value of the parameter `vsl_mask`.
    static func mask() throws -> String {
        guard let varnishd = Child.find("varnishd") else { throw BenchError("varnishd is not installed") }
        let tags = tags(in: try Child.output(of: varnishd, ["-x", "vsl"]))
        guard tags.contains("ReqURL"), tags.contains("Timestamp") else {
            throw BenchError("varnishd -x vsl does not list the kinds of records")
        }
        return tags.map { "-" + $0 }.joined(separator: ",")
    }

    /// The titles of the manual's page, which are underlined.
    static func tags(in manual: String) -> [String] {
        let lines = manual.split(separator: "\n", omittingEmptySubsequences: false)
        return zip(lines, lines.dropFirst()).compactMap { title, rule in
            guard rule.count >= 2, rule.allSatisfy({ $0 == "-" }), !title.isEmpty,
                title.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
            else { return nil }
            return String(title)
        }
    }
}
