/// Whether the certificates of a file are those in use.
public struct CertificateFileStatus: Sendable {
    let directive: String
    let path: String
    let isOutdated: Bool

    /// - Parameter isOutdated: the file on the disk has others, or none, and was not loaded.
    public init(directive: String, path: String, isOutdated: Bool) {
        (self.directive, self.path, self.isOutdated) = (directive, path, isOutdated)
    }
}
