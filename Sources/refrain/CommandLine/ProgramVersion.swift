import CBuild

/// Version in `refrain version`, the `User-Agent`, the metrics, recordings and the nodes of a tier.
enum ProgramVersion {
    /// The next release with `-dev`, until it is made.
    static let release = "1.1.0-dev"
    /// The date of this version, for its man pages: equal sources make equal pages. A test compares
    /// release and date with Debian's changelog.
    static let date = "2026-11-30"

    /// `1.1.0-dev+4ddddebe70` until the release; without the commit where git was not there.
    static let text = text(of: release, commit: String(cString: cbuild_commit()))

    static func text(of release: String, commit: String) -> String {
        isReleased(release) || commit.isEmpty ? release : "\(release)+\(commit)"
    }

    static func isReleased(_ release: String) -> Bool { !release.hasSuffix("-dev") }
}
