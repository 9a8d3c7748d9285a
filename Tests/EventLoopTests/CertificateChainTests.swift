import TestSupport
import Testing

@testable import EventLoop

/// A chain out of order, or without its intermediate, works with some clients and not with others.
@Suite struct CertificateChainTests {
    private let root: ThrowawayAuthority
    private let middle: ThrowawayAuthority
    private let leaf: String
    private let folder: TemporaryFolder

    init() throws {
        root = try ThrowawayAuthority(name: "root")
        middle = try ThrowawayAuthority(name: "middle", parent: root)
        leaf = try middle.issue(hosts: ["a.example"]).certificatePEM
        folder = try TemporaryFolder()
    }

    private func fault(_ chain: String..., trusting anchor: ThrowawayAuthority? = nil) throws -> String? {
        let path = try folder.put(chain.joined().utf8, "chain.pem")
        return CertificateChain.fault(in: path, anchors: .pem((anchor ?? root).certificatePEM()))
    }

    @Test func aWholeChainHasNoFault() throws {
        let (middle, root) = (middle.certificatePEM(), root.certificatePEM())
        #expect(try fault(leaf, middle) == nil && fault(leaf, middle, root) == nil)
        #expect(try fault(leaf, trusting: self.middle) == nil, "clients have the issuer")
        // A chain that has its root needs no authority of this machine.
        let other = try ThrowawayAuthority(name: "other")
        #expect(try fault(leaf, middle, root, trusting: other) == nil)
        let own = try LeafProfile().issue(by: nil).certificatePEM
        #expect(try fault(own) == nil && fault(own, other.certificatePEM()) == nil)
        #expect(CertificateChain.fault(in: folder.file("none.pem")) == nil)
    }

    @Test func aMissingIntermediateIsNamed() throws {
        let alone = try #require(try fault(leaf))
        #expect(alone.hasPrefix("lacks an intermediate certificate: ") && alone.contains("(/CN=middle)"), "\(alone)")
        let gap = try #require(try fault(leaf, root.certificatePEM()))
        #expect(gap.contains("certificate 2 (/CN=root) did not issue certificate 1 (/CN=throwaway)"), "\(gap)")
        #expect(gap.hasSuffix("whose issuer is /CN=middle"), "\(gap)")
        let stranger = try ThrowawayAuthority(name: "other")
        #expect(try fault(leaf, middle.certificatePEM(), trusting: stranger)?.contains("(/CN=root)") == true)
    }

    /// A machine without authorities cannot tell whether an issuer is missing or known to clients.
    @Test func withoutAuthoritiesAGapIsSeenAndAMissingEndIsNot() throws {
        let path = try folder.put(leaf.utf8, "chain.pem")
        #expect(CertificateChain.fault(in: path, anchors: .pem("")) == nil)
        try folder.put((leaf + root.certificatePEM()).utf8, "chain.pem")
        #expect(CertificateChain.fault(in: path, anchors: .pem(""))?.hasPrefix("lacks an intermediate") == true)
    }

    /// The name alone proves nothing.
    @Test func anIssuerHasSigned() throws {
        let impostor = try ThrowawayAuthority(name: "middle", parent: root)
        #expect(try fault(leaf, impostor.certificatePEM())?.hasPrefix("lacks an intermediate") == true)
        #expect(try fault(leaf, trusting: impostor)?.hasPrefix("lacks an intermediate") == true)
    }

    @Test func aWrongOrderNamesTheCertificate() throws {
        let fault = try #require(try fault(leaf, root.certificatePEM(), middle.certificatePEM()))
        let words =
            "wrong order: certificate 3 (/CN=middle) issued certificate 1 (/CN=throwaway) and has to be the next"
        #expect(fault.hasPrefix(words), "\(fault)")
    }
}
