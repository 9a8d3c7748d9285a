import Foundation
import TestSupport
import Testing

/// The units that are delivered, judged by systemd's own tool where it is installed; nothing is
/// started.
@Suite struct DeploymentTests {
    private static let analyzer = "/usr/bin/systemd-analyze"
    private static let folder = House.top.appendingPathComponent("Sources/Deployment/systemd")

    private static func unit(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func theServiceTellsHowItFaresAndKeepsItsSecrets() throws {
        let lines = try Self.unit("refrain.service").components(separatedBy: "\n")
        for line in [
            "Type=notify", "ExecReload=/usr/local/bin/refrain reload --config /etc/refrain/proxy.conf",
            "NotifyAccess=main", "DynamicUser=yes", "StateDirectoryMode=0700", "LimitCORE=0",
            "Restart=on-failure", "MemoryDenyWriteExecute=yes", "CapabilityBoundingSet=", "UMask=0077",
        ] { #expect(lines.contains(line)) }
        #expect(lines.contains { $0.hasPrefix("WatchdogSec=") })
    }

    /// systemd waits for no main process that is not its child, as after an upgrade: it sent KILL
    /// in the moment of its TERM, and requests in hand were cut off.
    @Test func aStopWaitsForTheEndOfTheMainProcess() throws {
        let lines = try Self.unit("refrain.service").components(separatedBy: "\n")
        let line = try #require(lines.first { $0.hasPrefix("ExecStop=/bin/sh -c '") && $0.hasSuffix("'") })
        let stop = line.dropFirst("ExecStop=/bin/sh -c '".count).dropLast().replacing("$$", with: "$")
        let folder = try TemporaryFolder()
        let ready = try folder.put("".utf8, "ready")
        let main = "trap 'sleep 0.3; echo finished; exit' TERM; rm '\(ready)'; while :; do sleep 0.01; done"
        try folder.put(main.utf8, "main")
        try folder.put(stop.utf8, "stop")
        let script = """
            sh main & export MAINPID=$!
            while [ -e ready ]; do sleep 0.01; done
            sh stop && echo stopped
            MAINPID= sh stop && echo nothing to stop
            """
        let outcome = try #require(Tool("sh")).run(["-c", "cd '\(folder.path)'\n" + script])
        #expect(outcome.status == 0 && outcome.text == "finished\nstopped\nnothing to stop\n", "\(outcome.text)")
    }

    /// With systemd's own limit (5 in 10 s) an address that was in use for longer ended the service
    /// for good.
    @Test func aStartThatFailsIsTriedAgainForAsLongAsItTakes() throws {
        let text = try Self.unit("refrain.service")
        func seconds(_ name: String) throws -> Int {
            let lines = text.components(separatedBy: "\n").filter { $0.hasPrefix(name + "=") }
            return try #require(lines.first.flatMap { Int($0.dropFirst(name.count + 1)) }, "\(name)")
        }
        let starts = try seconds("StartLimitIntervalSec") / seconds("RestartSec") + 1
        #expect(try seconds("StartLimitBurst") > starts)
    }

    /// After a restart with a bad configuration under traffic they were gone, and the mended
    /// service had no right to bind their ports.
    @Test func aStartOfTheServiceStartsSocketsThatAreEnabled() throws {
        let lines = try Self.unit("refrain.socket").components(separatedBy: "\n")
        #expect(lines.contains("WantedBy=sockets.target refrain.service"))
    }

    /// `@resources` has setpriority in it: the thread that records ran beside the loops, and nobody
    /// was told.
    @Test func theServiceMayLowerThePriorityOfAThread() throws {
        let filters = try Self.unit("refrain.service").components(separatedBy: "\n").filter {
            $0.hasPrefix("SystemCallFilter=")
        }
        let refused = try #require(
            filters.lastIndex { $0.hasPrefix("SystemCallFilter=~") && $0.contains("@resources") })
        let allowed = try #require(filters.lastIndex { $0 == "SystemCallFilter=setpriority" })
        #expect(allowed > refused, "a later line overrides an earlier one")
    }

    /// A list keeps its values unless it is emptied first, so two nodes would share folders.
    @Test func aNodeOfSeveralHasFoldersOfItsOwn() throws {
        let service = try Self.unit("refrain.service").components(separatedBy: "\n")
        let node = try Self.unit("refrain@.service.d/node.conf").components(separatedBy: "\n")
        for name in ["ExecStart", "StateDirectory", "LogsDirectory"] {
            let empty = try #require(node.firstIndex(of: name + "="), "\(name)")
            #expect(node[empty + 1].hasPrefix(name + "=") && node[empty + 1].contains("-%i"))
            // With the list its mode is forgotten: those of nodes had 0755.
            let mode = service.first { $0.hasPrefix(name + "Mode=") }
            #expect(mode.map { node[empty...].contains($0) } ?? (name == "ExecStart"))
        }
        // Nothing else that names a folder is left to all nodes together.
        let folders = service.filter { $0.contains("=") && !$0.hasPrefix("#") && $0.hasSuffix("refrain") }
        for line in folders {
            let name = line.prefix { $0 != "=" }
            #expect(node.contains { $0.hasPrefix(name + "=") && $0.hasSuffix("-%i") }, "\(line)")
        }
        #expect(folders.count == 3)
    }

    /// Logs grew until the disk was full, unless the operator knew how to.
    @Test func theLogsOfAllUnitsAreRotatedAndReopened() throws {
        let file = House.top.appendingPathComponent("Sources/Deployment/logrotate/refrain.logrotate")
        let text = try String(contentsOf: file, encoding: .utf8)
        let units = try Self.unit("refrain.service") + Self.unit("refrain@.service.d/node.conf")
        let folders = units.matches(of: /\nLogsDirectory=(\S+)/).map { $0.1.replacing("%i", with: "*") }
        #expect(folders == ["refrain", "refrain-*"])
        #expect(text.contains("\n" + folders.map { "/var/log/\($0)/*.log " }.joined() + "{\n"))
        #expect(text.contains("systemctl kill --kill-who=main --signal=USR1 refrain.service 'refrain@*.service'"))
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: analyzer),
            "systemd-analyze is not installed: nobody judged the service's sandbox"))
    func theServiceIsExposedLittle() throws {
        // Versions before 253 do not know this type, which has nothing to do with exposure.
        let text = try Self.unit("refrain.service").replacingOccurrences(of: "Type=notify-reload", with: "Type=notify")
        let folder = try TemporaryFolder()
        let copy = try folder.put(text.utf8, "refrain.service")
        let outcome = try Tool(at: Self.analyzer).run(
            ["security", "--offline=yes", "--threshold=15", "--no-pager", copy])
        #expect(outcome.status == 0, "exposure above 1.5: \(outcome.text)")
    }
}
