import Foundation
import TestSupport
import Testing

@testable import refrain

/// Installation and packages.
@Suite struct PackagingTests {
    /// How long compressing well would take is nothing that is looked at here.
    private static let packaging = ["DPKG_DEB_COMPRESSOR_LEVEL": "0"]
    private static let debian = "Sources/Deployment/debian/"

    @Test func debiansChangelogIsOfThisVersion() throws {
        let lines = try Page(Self.debian + "changelog").lines
        #expect(lines.first?.hasPrefix("refrain (\(Self.packaged(ProgramVersion.release))-") == true)
        let trailer = try #require(lines.first { $0.hasPrefix(" -- ") })
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyy-MM-dd"
        let date = try #require(format.date(from: ProgramVersion.date))
        format.dateFormat = "EEE, dd MMM yyyy"
        #expect(trailer.contains(format.string(from: date)))
    }

    /// The upstream part of the package's version, which dpkg sorts before the release.
    private static func packaged(_ version: String) -> String { version.replacing("-dev", with: "~dev") }

    /// dpkg took a package of the program before 1.1.0 for 1.0.0.
    @Test(.requires(.dpkg)) func versionsBeforeTheReleaseSortBetweenReleases() throws {
        let dpkg = try #require(Tool("dpkg"))
        func compare(_ version: String, _ operation: String, _ other: String) throws -> Bool {
            try dpkg.run(["--compare-versions", version + "-1", operation, other + "-1"]).status == 0
        }
        for version in [ProgramVersion.text, "1.1.0-dev", "1.1.0-dev+4ddddebe70"] {
            let name = Self.packaged(version)
            #expect(try compare(name, "gt", "1.0.0"), "\(name)")
            if version.contains("-dev") {
                let release = String(version.prefix { $0 != "-" })
                #expect(try compare(name, "lt", release), "\(name)")
            }
        }
    }

    /// Without a checkout there is no commit, even in the checkout of something else.
    @Test(.requires(.git)) func theMakefileFindsTheCommit() throws {
        let (make, git) = (try #require(Tool("make")), try #require(Tool("git")))
        let folder = try TemporaryFolder()
        // A hook of git hands its own repository down, in which the commit would be made.
        let environment = [
            "GIT_DIR": folder.file(".git"), "GIT_WORK_TREE": folder.path, "GIT_INDEX_FILE": folder.file(".git/index"),
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "MAKEFLAGS": "", "REFRAIN_COMMIT": "",
        ]
        try FileManager.default.createDirectory(atPath: folder.file("inner"), withIntermediateDirectories: false)
        for name in ["Makefile", "inner/Makefile"] { try folder.put(Page.text("Makefile").utf8, name) }
        func commit(in name: String) throws -> String {
            let outcome = try make.run(
                ["-s", "build", "SWIFT=printenv REFRAIN_COMMIT ;:"], in: folder.url.appendingPathComponent(name),
                environment: environment)
            #expect(outcome.status == 0, "\(outcome.text)")
            return outcome.text.trimmingCharacters(in: .newlines)
        }
        func run(_ words: String...) throws -> String {
            let settings = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
            let outcome = try git.run(settings + words, in: folder.url, environment: environment)
            #expect(outcome.status == 0, "\(outcome.text)")
            return outcome.text.trimmingCharacters(in: .newlines)
        }
        _ = try run("init", "-q")
        _ = try run("commit", "-q", "--allow-empty", "-m", "a")
        #expect(try commit(in: ".") == run("rev-parse", "HEAD").prefix(10))
        #expect(try commit(in: "inner").isEmpty)
        // A work tree of its own beside the repository has a file in place of the folder.
        try FileManager.default.removeItem(atPath: folder.file("inner"))
        _ = try run("worktree", "add", "-q", "--detach", folder.file("inner"))
        try folder.put(Page.text("Makefile").utf8, "inner/Makefile")
        #expect(try commit(in: "inner") == commit(in: "."))
    }

    @Test(arguments: ["postinst", "prerm", "postrm"]) func maintainerScriptsAreShellAndStopAtErrors(_ name: String)
        throws
    {
        let text = try Page.text(Self.debian + name)
        #expect(text.hasPrefix("#!/bin/sh\n") && text.contains("\nset -e\n"))
        let outcome = try #require(Tool("sh")).run(["-n", Self.debian + name], in: Page.top)
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test(.requires(.binary))
    func uninstallRemovesWhatInstallWrote() throws {
        let make = try #require(Tool("make"))
        let binary = try #require(BinaryUnderTest.path)
        let folder = try TemporaryFolder()
        let settings = ["DESTDIR=" + folder.path, "PREFIX=/opt/refrain", "BINARY=" + binary]
        let installed = try make.run(["install-built"] + settings, in: Page.top)
        #expect(installed.status == 0, "\(installed.text)")
        let systemd = "opt/refrain/lib/systemd/system/"
        let unit = folder.text(systemd + "refrain.service")
        #expect(unit.contains("\nExecStart=/opt/refrain/bin/refrain serve "))
        #expect(folder.text(systemd + "refrain@.service") == unit)
        let node = folder.text(systemd + "refrain@.service.d/node.conf")
        #expect(node.contains("\nExecStart=/opt/refrain/bin/refrain serve --config /etc/refrain/node-%i.conf\n"))
        for name in [
            "man/man1/refrain-serve.1", "refrain/examples/sessions.jsonl", "refrain/examples/sessions.jsonl.bodies",
        ] { #expect(folder.has("opt/refrain/share/" + name), "\(name)") }
        try Self.expectWholeLinks(of: folder.url.appendingPathComponent("opt/refrain/share/doc/refrain"))
        let removed = try make.run(["uninstall"] + settings, in: Page.top)
        #expect(removed.status == 0, "\(removed.text)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file($0))
            return attributes[.type] as? FileAttributeType == .typeRegular
        }
        #expect(left.isEmpty)
    }

    /// Pages of three folders are installed into one: a link with the folders of the source tree
    /// would lead nowhere.
    private static func expectWholeLinks(of documents: URL) throws {
        let files = FileManager.default
        let pages = try files.subpathsOfDirectory(atPath: documents.path).filter { $0.hasSuffix(".md") }
        #expect(pages.count >= Page.names.count)
        for page in pages {
            let url = documents.appendingPathComponent(page)
            for link in Page.files(linkedIn: try String(contentsOf: url, encoding: .utf8)) {
                let file = url.deletingLastPathComponent().appendingPathComponent(link)
                #expect(files.fileExists(atPath: file.path), "\(page): \(link)")
            }
        }
    }

    /// The script built a release first, however the binary had been made.
    @Test func aProgramThatIsNamedIsPackedWithoutABuild() throws {
        let make = try #require(Tool("make"))
        func steps(_ settings: String...) throws -> String {
            try make.run(["-n", "deb", "SWIFT=compile"] + settings, in: Page.top, environment: ["MAKEFLAGS": ""]).text
        }
        #expect(try steps().contains("compile build"))
        let packed = try steps("BINARY=/opt/refrain")
        #expect(packed.contains("debian/build /opt/refrain .build") && !packed.contains("compile"))
    }

    @Test(.requires(.release), .requires(.debianTools))
    func thePackageIsCompleteAndReproducible() throws {
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let package = try Self.package(into: first)
        #expect(try Data(contentsOf: package) == Data(contentsOf: Self.package(into: second)))
        try Self.expectContents(of: package, in: second)
    }

    @Test(.requires(.release), .requires(.debianTools), .requires(.lintian))
    func lintianFindsNoErrors() throws {
        let lintian = try #require(Tool("lintian"))
        let folder = try TemporaryFolder()
        // Lintian may leave files in its temporary directory.
        let outcome = try lintian.run(
            ["--fail-on", "error", try Self.package(into: folder).path], environment: ["TMPDIR": folder.path])
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    /// Builds the package into a folder.
    private static func package(into folder: TemporaryFolder) throws -> URL {
        let built = try #require(Tool("bash")).run(
            [debian + "build", try #require(BinaryUnderTest.path), folder.path], in: Page.top, environment: packaging)
        try #require(built.status == 0, "\(built.text)")
        let name = try #require(folder.names.first { $0.hasSuffix(".deb") })
        return folder.url.appendingPathComponent(name)
    }

    /// The version of the program that is packed: its build need not be of the tests' commit.
    private static var programVersion: String {
        get throws {
            let outcome = try Tool(at: try #require(BinaryUnderTest.path)).run(["version"])
            try #require(outcome.status == 0 && outcome.text.hasPrefix("refrain "), "\(outcome.text)")
            return outcome.text.dropFirst(8).trimmingCharacters(in: .newlines)
        }
    }

    private static func expectContents(of package: URL, in folder: TemporaryFolder) throws {
        let tool = try #require(Tool("dpkg-deb"))
        let control = try tool.run(["--info", package.path]).text
        for line in [
            "Version: \(packaged(try programVersion))-", "Depends: libc6 ", "libsqlite3-0", "libssl3",
            "Recommends: zlib1g, libnghttp2-14",
        ] { #expect(control.contains(line), "\(line)") }
        let kept = try tool.run(["--info", package.path, "conffiles"]).text
        #expect(kept == "/etc/refrain/proxy.conf\n/etc/logrotate.d/refrain\n")
        let list = try tool.run(["--contents", package.path]).text.split(separator: "\n")
        #expect(list.allSatisfy { $0.contains(" root/root ") })
        let pages = ManualPage.all(of: Command.table).map { "man\($0.section)/\($0.fileName).gz" }
        for path in pages + [
            "bin/refrain", "system/refrain.service", "bash-completion/completions/refrain", "examples/sessions.jsonl",
        ] { #expect(list.contains { $0.hasSuffix("/" + path) }, "\(path)") }
        #expect(try tool.run(["--extract", package.path, folder.file("root")]).status == 0)
        let unit = folder.text("root/usr/lib/systemd/system/refrain.service")
        let reload = "ExecReload=/usr/bin/refrain reload --config /etc/refrain/proxy.conf"
        for line in ["Type=notify", reload, "NotifyAccess=main"] { #expect(unit.contains("\n\(line)\n"), "\(line)") }
        let configuration = try read(folder.text("root/etc/refrain/proxy.conf")).configuration
        #expect(configuration.cacheFile == "/var/lib/refrain/refrain.sqlite")
        try expectWholeLinks(of: folder.url.appendingPathComponent("root/usr/share/doc/refrain"))
    }
}

/// The scripts that dpkg runs, with a systemd that only notes its commands.
///
/// Nothing of this machine is touched: they look below `DPKG_ROOT`.
@Suite(.timeLimit(.minutes(10))) struct MaintainerScriptTests {
    private static let folder = Page.top.appendingPathComponent("Sources/Deployment/debian")
    private static let node = "refrain@1.service"
    private static let lists = "systemctl list-units --plain --no-legend --state=active,reloading"
    private static let starts = ["deb-systemd-invoke start refrain.socket", "deb-systemd-invoke start refrain.service"]
    private static let begins = [
        "deb-systemd-helper unmask refrain.service", "deb-systemd-helper --quiet was-enabled refrain.service",
        "deb-systemd-helper enable refrain.service", "systemctl --system daemon-reload",
    ]

    /// A process of a unit is a number; USR2 makes another one of it, or has it say why not.
    private static let systemctl = """
        case "$1" in
        list-units) sed 's/$/ loaded active running/' "$STATE/running" ;;
        show) echo "${2#--property=}=$(cat "$STATE/$3.${2#--property=}")"; exit ;;
        kill) [ -e "$STATE/$4.refuses" ] && echo "the last upgrade failed: it ended" >"$STATE/$4.StatusText" ||
            echo 2 >"$STATE/$4.MainPID" ;;
        esac
        """

    private let root: TemporaryFolder

    init() throws {
        root = try TemporaryFolder()
        for name in ["bin", "run/systemd/system", "usr/bin", "usr/sbin", "state"] { try make(name) }
        let note = "#!/bin/sh\necho \"${0##*/} $*\" >>\"$STATE/told\"\n"
        for name in ["deb-systemd-helper", "deb-systemd-invoke"] { try root.putProgram(note, "bin/" + name) }
        // Looking changes nothing, and is not noted.
        let quiet = "#!/bin/sh\n[ \"$1\" = show ] || " + note.dropFirst(10)
        try root.putProgram(quiet + Self.systemctl, "bin/systemctl")
        try root.put("".utf8, "state/running")
    }

    private func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: root.file(name), withIntermediateDirectories: true)
    }

    private func run(_ unit: String) throws {
        try root.put(try root.bytes("state/running") + Array("\(unit)\n".utf8), "state/running")
        try root.put("1\n".utf8, "state/\(unit).MainPID")
        try root.put("listening\n".utf8, "state/\(unit).StatusText")
    }

    /// Runs one; gives the commands to the system, and the words to the operator.
    private func script(_ name: String, _ arguments: String...) throws -> (told: [String], text: String) {
        try root.put("".utf8, "state/told")
        let outcome = try #require(Tool("sh")).run(
            [Self.folder.appendingPathComponent(name).path] + arguments,
            environment: [
                "DPKG_ROOT": root.path, "STATE": root.file("state"), "PATH": root.file("bin") + ":/usr/bin:/bin",
            ])
        #expect(outcome.status == 0, "\(outcome.text)")
        let told = String(decoding: try root.bytes("state/told"), as: UTF8.self)
        return (told.split(separator: "\n").map(String.init), outcome.text)
    }

    private static func upgrade(_ unit: String) -> String { "systemctl kill --kill-who=main --signal=USR2 \(unit)" }

    @Test func anInstallationStartsWhatIsEnabled() throws {
        let (told, text) = try script("postinst", "configure", "")
        #expect(told == Self.begins + Self.starts && text.isEmpty)
    }

    /// An upgrade restarted the services: clients were refused for as long as that took.
    @Test func anUpgradeHasTheServicesGoOver() throws {
        for unit in ["refrain.service", Self.node] { try run(unit) }
        let before = try ["prerm", "postrm"].map { try script($0, "upgrade", "1.0.1-1").told }
        #expect(before == [[], []], "it serves until the new version is there")
        let (told, text) = try script("postinst", "configure", "1.0.0-1")
        let list = "\(Self.lists) refrain.service refrain@*.service"
        let all = Self.begins + [list, Self.upgrade("refrain.service"), Self.upgrade(Self.node)] + Self.starts
        #expect(told == all && text.isEmpty, "\(text)")
    }

    /// The restart ended a good service, and the unit had failed.
    @Test func aFailedUpgradeLeavesTheServiceAndSaysSo() throws {
        for unit in ["refrain.service", Self.node] { try run(unit) }
        let fails = "#!/bin/sh\necho \"$*\"\necho \"refrain: $3:2: unknown\" >&2\nexit 78\n"
        try root.putProgram(fails, "usr/bin/refrain")
        try root.put("".utf8, "state/\(Self.node).refuses")
        let (told, text) = try script("postinst", "configure", "1.0.0-1")
        #expect(told.suffix(4) == [Self.upgrade("refrain.service"), Self.upgrade(Self.node)] + Self.starts)
        let lines = text.split(separator: "\n")
        try #require(lines.count == 3, "\(text)")
        #expect(lines[0].hasPrefix("refrain: \(Self.node) still runs the previous version"))
        #expect(lines[1] == "refrain: /etc/refrain/node-1.conf:2: unknown")
        #expect(lines[2].hasSuffix("systemctl kill --kill-who=main --signal=USR2 refrain@1"))
    }

    /// Nodes stayed down when the package had been removed for a while.
    @Test func nodesThatAreEnabledAreStarted() throws {
        let wanted = "etc/systemd/system/multi-user.target.wants"
        try make(wanted)
        try FileManager.default.createSymbolicLink(
            atPath: root.file("\(wanted)/\(Self.node)"),
            withDestinationPath: "/usr/lib/systemd/system/refrain@.service")
        let (told, text) = try script("postinst", "configure", "1.0.0-1")
        #expect(Array(told.suffix(3)) == Self.starts + ["deb-systemd-invoke start \(Self.node)"] && text.isEmpty)
    }

    @Test func anAbortedUpgradeReplacesNoProcess() throws {
        try run("refrain.service")
        #expect(try script("postinst", "abort-upgrade", "1.0.1-1").told == Self.begins + Self.starts)
        try root.putProgram("#!/bin/sh\nexit 101\n", "usr/sbin/policy-rc.d")
        let (told, text) = try script("postinst", "configure", "1.0.0-1")
        #expect(!told.contains(Self.upgrade("refrain.service")) && text.isEmpty)
    }

    @Test func aRemovalStopsTheServiceAndKeepsOperatorFiles() throws {
        let stop = "deb-systemd-invoke stop refrain.socket refrain.service refrain@*.service"
        #expect(try script("prerm", "remove").told == [stop])
        #expect(try script("postrm", "remove").told == ["systemctl --system daemon-reload"])
        let wanted = "etc/systemd/system/multi-user.target.wants"
        let gone = ["var/lib/private/refrain", "var/lib/refrain-1", "var/log/private/refrain-1", "var/log/refrain"]
        let service = "etc/systemd/system/refrain.service.wants"
        let links = ["\(wanted)/\(Self.node)", "\(service)/refrain.socket"]
        for name in gone + [wanted, service, "etc/refrain", "var/lib/other"] { try make(name) }
        for name in links + ["etc/refrain/key.p8"] { try root.put("".utf8, name) }
        let text = try Page.text("Sources/Deployment/debian/postrm")
        // Or it would purge this machine.
        try #require(!text.contains(/\n[^#\n].*[ =]\/(etc|var)/))
        #expect(try script("postrm", "purge").told == ["deb-systemd-helper purge refrain.service refrain.socket"])
        #expect((gone + links + [service]).allSatisfy { !root.has($0) })
        #expect(["etc/refrain/key.p8", "var/lib/other"].allSatisfy { root.has($0) })
    }

    /// A container, or an image that is being made.
    @Test func withoutASystemdNothingIsStartedOrStopped() throws {
        try run("refrain.service")
        try root.remove("run")
        #expect(try script("postinst", "configure", "1.0.0-1").told == Array(Self.begins.dropLast()))
        for name in ["prerm", "postrm"] { #expect(try script(name, "remove").told.isEmpty) }
    }
}
