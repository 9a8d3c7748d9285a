@testable import AppleMusic

extension FuzzTarget {
    /// A canonical target stays so, keeps its route, and can be sent.
    static let targets = FuzzTarget(
        name: "targets", summary: "request targets, made canonical",
        run: { bytes in
            var target = CanonicalTarget()
            guard (try? target.parse(bytes.span)) != nil else { return }
            let canonical = target.bytes
            precondition(canonical.first == UInt8(ascii: "/"), "it begins with a slash")
            precondition(
                canonical.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x23 && $0 != 0x5C }, "it can be sent")
            precondition(target.pathCount <= canonical.count)
            var again = CanonicalTarget()
            guard (try? again.parse(canonical.span)) != nil else { preconditionFailure("what is canonical is refused") }
            precondition(again.bytes == canonical && again.pathCount == target.pathCount, "canonical twice is once")
            precondition(again.route == target.route, "another spelling leads to another place")
        },
        seeds: {
            Seeds.recordedTargets()
                + [
                    "/v1/catalog/us/albums?ids=1%2C2&%6cimit=3&include=tracks,artists,artists", "/v1/me/library?a=%E9",
                    "/",
                ]
                .map { Array($0.utf8) }
        })
}
