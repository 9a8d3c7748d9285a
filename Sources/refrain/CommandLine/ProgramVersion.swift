/// Version in `refrain version`, the `User-Agent` and the statistics.
enum ProgramVersion {
    static let text = "1.0.0"
    /// The date of this version, for its man pages: equal sources make equal pages. A test compares
    /// both with Debian's changelog.
    static let date = "2026-11-25"
}
