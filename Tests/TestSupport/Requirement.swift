import Foundation
import Testing

/// Something that a test needs and a machine may lack. A test or suite names it as a trait,
/// `@Test(.requires(.zsh))`, and is skipped without it; the last lines of the run say so.
public struct Requirement: Sendable {
    /// Names the missing tool, how to get it, and the untested behaviour.
    public let absence: String
    private let check: @Sendable () -> Bool

    public init(_ absence: String, isMet check: @escaping @Sendable () -> Bool) {
        self.absence = absence
        self.check = check
    }

    /// Notes the absence for the last lines of the run.
    public var isMet: Bool {
        let isMet = check()
        if !isMet { LeftOut.note(absence) }
        return isMet
    }

    /// - Parameter package: Debian's that has the program.
    private static func program(_ name: String, package: String? = nil, without: String) -> Requirement {
        Requirement("no \(name) (apt-get install \(package ?? name)): \(without)") { Tool(name) != nil }
    }
}

extension Requirement {
    public static let sharedMaterial = Requirement(SharedMaterial.absence) { SharedMaterial.isPresent }

    public static let binary = Requirement(
        "no binary (REFRAIN_BINARY, which make test sets): it was not run, measured or installed"
    ) { BinaryUnderTest.path != nil }

    public static let plainBuild = Requirement("a sanitizer's build: what requests cost was not counted") {
        !Patience.isSanitized
    }

    public static let release = Requirement("no release build (make test-long has it): no package was built from it") {
        TestSize.isFull && BinaryUnderTest.path != nil
    }

    public static let browser = Requirement(HeadlessBrowser.absence) { HeadlessBrowser.program != nil }

    public static let root = Requirement("not root: files of other users and small disks were not tried") {
        geteuid() == 0
    }

    /// Found at run time (`CLinux/Zlib.c`).
    public static let zlib = Requirement("no libz.so.1 (apt-get install zlib1g): nothing was compressed") {
        dlopen("libz.so.1", RTLD_NOW) != nil
    }

    /// Found at run time (`CLinux/HTTP2.c`).
    public static let nghttp2 = Requirement("no libnghttp2.so.14 (apt-get install libnghttp2-14): no HTTP/2 was spoken")
    {
        dlopen("libnghttp2.so.14", RTLD_NOW) != nil
    }

    public static let zsh = program("zsh", without: "it has not read its completions")
    public static let fish = program("fish", without: "it has not read its completions")
    public static let node = program("node", package: "nodejs", without: "the README's JavaScript was not run")
    public static let python = program("python3", without: "neither the README's Python nor the worlds were run")
    public static let swiftc = Requirement("no swiftc: URLSession was not asked") { Tool("swiftc") != nil }
    public static let ownMounts = Requirement(
        "no mount namespaces (unshare -rm): no disk was filled, and URLSession was not asked"
    ) { (try? Tool("unshare")?.run(["-rm", "true"]))?.status == 0 }
    public static let mandoc = program("mandoc", without: "it has not judged the man pages")
    public static let groff = program("groff", without: "it has not read the man pages")
    public static let prometheus = program("prometheus", without: "it has not scraped the metrics")
    public static let promtool = program(
        "promtool", package: "prometheus", without: "it has not checked metrics and rules")
    public static let openssl = program("openssl", without: "no session of a client outside was resumed")
    public static let valgrind = program("valgrind", without: "what requests cost was not counted")
    public static let redis = program("redis-server", without: "the shared tier has not met a real engine")
    public static let haproxy = program("haproxy", without: "nothing was balanced over several nodes")
    public static let curl = Requirement("no curl with HTTP/2 (apt-get install curl): no client spoke it") {
        (try? Tool("curl")?.run(["--version"]))?.text.contains(" HTTP2 ") == true
    }
    public static let dpkg = program("dpkg", without: "versions of packages were not compared")
    public static let git = program("git", without: "no commit was looked for")
    public static let debianTools = program("dpkg-gencontrol", package: "dpkg-dev", without: "no package was built")
    public static let lintian = program("lintian", without: "it has not judged the package")
}

extension Trait where Self == ConditionTrait {
    public static func requires(_ requirement: Requirement) -> Self {
        .enabled("\(requirement.absence)") { requirement.isMet }
    }
}
