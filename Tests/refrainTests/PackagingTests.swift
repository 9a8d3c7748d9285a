import Foundation
import TestSupport
import Testing

@testable import refrain

/// Installation and packages.
@Suite struct PackagingTests {
    /// How long compressing well would take is nothing that is looked at here.
    private static let packaging = ["DPKG_DEB_COMPRESSOR_LEVEL": "0"]
    private static let debian = Page.top.appendingPathComponent("Sources/Deployment/debian")

    @Test func debiansChangelogIsOfThisVersion() throws {
        let text = try String(contentsOf: Self.debian.appendingPathComponent("changelog"), encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("refrain (\(ProgramVersion.text)-") == true)
        let trailer = try #require(lines.first { $0.hasPrefix(" -- ") })
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyy-MM-dd"
        let date = try #require(format.date(from: ProgramVersion.date))
        format.dateFormat = "EEE, dd MMM yyyy"
        #expect(trailer.contains(format.string(from: date)))
    }

    @Test(arguments: ["postinst", "prerm", "postrm"]) func maintainerScriptsAreShellAndStopAtErrors(_ name: String)
        throws
    {
        let path = Self.debian.appendingPathComponent(name).path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("#!/bin/sh\n") && text.contains("\nset -e\n"))
        let outcome = try #require(Tool("sh")).run(["-n", path])
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    @Test(.requires(.binary))
    func uninstallRemovesWhatInstallWrote() throws {
        let make = try #require(Tool("make"))
        let binary = try #require(BinaryUnderTest.path)
        try withTemporaryDirectory { directory in
            let settings = ["DESTDIR=" + directory.path, "PREFIX=/opt/refrain", "BINARY=" + binary]
            let installed = try make.run(["install-built"] + settings, in: Page.top)
            #expect(installed.status == 0, "\(installed.text)")
            let unit = try String(
                contentsOfFile: directory.path + "/opt/refrain/lib/systemd/system/refrain.service", encoding: .utf8)
            #expect(unit.contains("\nExecStart=/opt/refrain/bin/refrain serve "))
            let systemd = directory.appendingPathComponent("opt/refrain/lib/systemd/system").path
            #expect(
                FileManager.default.contentsEqual(
                    atPath: systemd + "/refrain.service", andPath: systemd + "/refrain@.service"))
            let node = try String(contentsOfFile: systemd + "/refrain@.service.d/node.conf", encoding: .utf8)
            #expect(node.contains("\nExecStart=/opt/refrain/bin/refrain serve --config /etc/refrain/node-%i.conf\n"))
            let files = try Self.files(below: directory)
            for name in [
                "man/man1/refrain-serve.1", "refrain/examples/sessions.jsonl", "refrain/examples/sessions.jsonl.bodies",
            ] {
                #expect(files.contains("opt/refrain/share/" + name), "\(name)")
            }
            let removed = try make.run(["uninstall"] + settings, in: Page.top)
            #expect(removed.status == 0, "\(removed.text)")
            #expect(try Self.files(below: directory).isEmpty)
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
        try withTemporaryDirectory { directory in
            var packages: [Data] = []
            for name in ["first", "second"] {
                let output = directory.appendingPathComponent(name)
                try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
                packages.append(try Data(contentsOf: try Self.package(into: output)))
            }
            #expect(packages[0] == packages[1])
            let package = directory.appendingPathComponent("refrain.deb")
            try packages[0].write(to: package)
            try Self.expectContents(of: package)
        }
    }

    @Test(.requires(.release), .requires(.debianTools), .requires(.lintian))
    func lintianFindsNoErrors() throws {
        let lintian = try #require(Tool("lintian"))
        try withTemporaryDirectory { directory in
            // Lintian may leave files in its temporary directory.
            let outcome = try lintian.run(
                ["--fail-on", "error", try Self.package(into: directory).path],
                environment: ["TMPDIR": directory.path])
            #expect(outcome.status == 0, "\(outcome.text)")
        }
    }

    /// Builds the package into a directory.
    private static func package(into directory: URL) throws -> URL {
        let build = debian.appendingPathComponent("build").path
        let built = try #require(Tool("bash")).run(
            [build, try #require(BinaryUnderTest.path), directory.path], environment: packaging)
        try #require(built.status == 0, "\(built.text)")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).first { $0.hasSuffix(".deb") })
        return directory.appendingPathComponent(name)
    }

    private static func expectContents(of package: URL) throws {
        let tool = try #require(Tool("dpkg-deb"))
        let control = try tool.run(["--info", package.path]).text
        for line in [
            "Version: \(ProgramVersion.text)-", "Depends: libc6 ", "libsqlite3-0", "libssl3",
            "Recommends: zlib1g, libnghttp2-14",
        ] {
            #expect(control.contains(line), "\(line)")
        }
        let kept = try tool.run(["--info", package.path, "conffiles"]).text
        #expect(kept == "/etc/refrain/proxy.conf\n/etc/logrotate.d/refrain\n")
        let list = try tool.run(["--contents", package.path]).text.split(separator: "\n")
        #expect(list.allSatisfy { $0.contains(" root/root ") })
        let pages = ManualPage.all(of: Command.table).map { "man\($0.section)/\($0.fileName).gz" }
        for path in pages + [
            "bin/refrain", "system/refrain.service", "bash-completion/completions/refrain", "examples/sessions.jsonl",
        ] {
            #expect(list.contains { $0.hasSuffix("/" + path) }, "\(path)")
        }
        let root = package.deletingLastPathComponent().appendingPathComponent("root")
        #expect(try tool.run(["--extract", package.path, root.path]).status == 0)
        let unit = try String(contentsOfFile: root.path + "/usr/lib/systemd/system/refrain.service", encoding: .utf8)
        let reload = "ExecReload=/usr/bin/refrain reload --config /etc/refrain/proxy.conf"
        for line in ["Type=notify", reload, "NotifyAccess=main"] {
            #expect(unit.contains("\n\(line)\n"), "\(line)")
        }
        let text = try String(contentsOfFile: root.path + "/etc/refrain/proxy.conf", encoding: .utf8)
        #expect(try read(text).configuration.cacheFile == "/var/lib/refrain/refrain.sqlite")
    }

    private static func files(below directory: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + $0)
            return attributes[.type] as? FileAttributeType == .typeRegular
        }
    }
}
