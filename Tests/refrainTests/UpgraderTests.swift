import Foundation
import TestSupport
import Testing

@testable import Admin
@testable import EventLoop
@testable import refrain

@Suite(.timeLimit(.minutes(10))) struct UpgraderTests {
    /// A proxy, and a script in the place of the program that it was started from.
    private final class Scene {
        let folder: TemporaryFolder
        let upgrader: Upgrader
        private let scene: ProxyScene

        init(_ script: String?, limits: Upgrader.Limits = Upgrader.Limits()) throws {
            folder = try TemporaryFolder()
            let settings = try read(quiet("admin_listen off\nworkers 2"))
            scene = try ProxyScene(settings.configuration)
            let manager = ServiceManager({ _ in nil }, process: 1)
            let file = ConfigurationFile(named: "proxy.conf")
            let reloader = Reloader(file, MemoryFiles().access, settings, scene.proxy, scene.log, manager)
            var program: StartedProgram?
            if let script {
                let path = try folder.putProgram("#!/bin/sh\n\(script)\n", "program")
                program = StartedProgram(path: path, arguments: ["program", "serve"])
            }
            upgrader = Upgrader(program, scene.proxy, reloader, scene.log, manager, limits: limits) {}
        }

        /// The log, once it has these words.
        func log(with words: String) -> String {
            waitUntil(within: 60) { scene.captured.error.contains(words) }
            return scene.captured.error
        }

        var failedUpgrades: Int { scene.proxy.reloads.snapshot.failedUpgrades }

        var answers: Bool { (try? scene.client.send("TRACE", "/").status) == 405 }
    }

    /// A process that hung after it was prepared was let in: nothing was accepted meanwhile.
    @Test(arguments: [
        ("exec sleep 600", Upgrader.Limits(preparation: .milliseconds(200))),
        ("printf p >&3; head -c 1 <&3 >/dev/null; exec sleep 600", Upgrader.Limits(beginning: .milliseconds(200))),
    ])
    func oneThatHangsIsEndedAfterATime(script: String, limits: Upgrader.Limits) throws {
        let scene = try Scene(script, limits: limits)
        scene.upgrader.request()
        let log = scene.log(with: "not upgraded, this process continues")
        #expect(log.contains("was not ready within 0.2 seconds, and was ended"), "\(log)")
        #expect(scene.answers && scene.upgrader.end() == nil)
    }

    /// Its channel was closed, or its words had come, before it had ended: it was killed, and the
    /// log said "ended by signal 9".
    @Test(arguments: [
        ("exec 3>&-; sleep 0.2; exit 7", "is not ready: the process ended with exit code 7"),
        (
            #"printf 'e\0\6port 1' >&3; sleep 0.2; exit 1"#,
            "is not ready: port 1; the process ended with exit code 1"
        ),
        (
            #"printf 'p' >&3; head -c 1 <&3 >/dev/null; printf 'e\0\4late' >&3; exit 1"#,
            "is not ready: late; the process"
        ),
        (#"printf 'e\377' >&3; exit 1"#, "is not ready: the process ended with exit code 1"),
        ("exec 3>&-; kill -SEGV $$", "is not ready: the process was ended by signal 11"),
    ])
    func oneThatFailsSaysWhyAndEndsByItself(script: String, words: String) throws {
        let scene = try Scene(script, limits: Upgrader.Limits(beginning: .seconds(60), ending: .seconds(60)))
        scene.upgrader.request()
        let log = scene.log(with: "not upgraded, this process continues")
        #expect(log.contains(words), "\(log)")
        #expect(scene.answers && scene.upgrader.end() == nil)
    }

    @Test func oneThatStaysAfterItsLastWordsIsEnded() throws {
        let scene = try Scene(
            #"printf 'e\0\3why' >&3; exec sleep 600"#, limits: Upgrader.Limits(ending: .milliseconds(50)))
        scene.upgrader.request()
        let log = scene.log(with: "not upgraded, this process continues")
        #expect(log.contains("is not ready: why; the process was ended by signal 9"), "\(log)")
        waitUntil { scene.failedUpgrades == 1 }
    }

    /// Clients waited for the time of its stage, and for that of its end after it.
    @Test(arguments: [
        ("printf p >&3; head -c 1 <&3 >/dev/null; exec 3>&-; exec sleep 600", Upgrader.Limits(beginning: .seconds(1))),
        (#"printf 'e\0\3why' >&3; exec sleep 600"#, Upgrader.Limits(preparation: .seconds(1))),
    ])
    func theEndOfAStageIsThatOfItsLastWords(script: String, limits: Upgrader.Limits) throws {
        var limits = limits
        limits.ending = .seconds(600)
        let scene = try Scene(script, limits: limits)
        scene.upgrader.request()
        let log = scene.log(with: "not upgraded, this process continues")
        // A busy machine may not have come to its last words.
        #expect(log.contains("was ended by signal 9") || log.contains("was not ready within 1.0 seconds"), "\(log)")
    }

    @Test func oneThatSaysWhatItShouldServesFromThenOn() throws {
        let scene = try Scene(
            "printf p >&3; head -c 1 <&3 >/dev/null; printf s >&3; head -c 1 <&3 >/dev/null; exec sleep 600")
        scene.upgrader.request()
        let log = scene.log(with: "has replaced process \(getpid())")
        let process = try #require(log.firstMatch(of: /process ([0-9]+) has replaced/).flatMap { pid_t($0.output.1) })
        scene.upgrader.request()
        #expect(scene.log(with: "ignored").contains("SIGUSR2: ignored: process \(process) has taken over"))
        #expect(scene.upgrader.end() == process)
        #expect(scene.upgrader.passOn(SIGKILL))
        #expect(waitpid(process, nil, 0) == process)
    }

    /// Descriptors other than standard input, output and error.
    @Test func aSuccessorGetsTheSocketsAndNothingElse() throws {
        let leaked = open("/dev/null", O_RDONLY)
        defer { close(leaked) }
        #expect(leaked > 2)
        let scene = try Scene("ls -l /proc/self/fd >$0.txt; echo $LISTEN_FDNAMES $REFRAIN_UPGRADE >>$0.txt; exit 1")
        scene.upgrader.request()
        _ = scene.log(with: "not upgraded, this process continues")
        let text = String(decoding: try scene.folder.bytes("program.txt"), as: UTF8.self)
        #expect(text.contains("control:own:own \(getpid())\n"), "\(text)")
        let numbers = text.matches(of: /\s([0-9]+) -> (\S+)/).map { (Int($0.output.1) ?? 0, String($0.output.2)) }
        // The directory that ls reads is open too.
        let given = numbers.filter { $0.0 > 2 && !$0.1.hasPrefix("/proc/") }
        #expect(given.map(\.0) == [3, 4, 5] && given.allSatisfy { $0.1.hasPrefix("socket:") }, "\(text)")
    }

    @Test func withoutAPathThereIsNoUpgrade() throws {
        let scene = try Scene(nil)
        scene.upgrader.request()
        #expect(scene.log(with: "not upgraded").contains("the path of the program is unknown"))
        #expect(scene.answers)
    }

    @Test func thePathIsTheOneThatItWasStartedBy() throws {
        let folder = try TemporaryFolder()
        let program = try folder.put([1], "program-1")
        #expect(symlink(program, folder.file("program")) == 0)
        let candidates = ["/proc/self/exe", folder.file("other"), folder.file("program"), program]
        // Not the target of the link: an upgrade turns the link.
        #expect(StartedProgram.path(among: candidates, leadingTo: program) == folder.file("program"))
        #expect(StartedProgram.path(among: ["/dev/null"], leadingTo: "/dev/null") == nil)
        #expect(StartedProgram.path(among: [program], leadingTo: folder.file("other")) == nil)
        #expect(StartedProgram.ofThisProcess()?.path.hasPrefix("/") == true)
    }

    /// An environment goes on to whatever is started from it.
    @Test func variablesAloneMakeNoSuccessor() throws {
        let (mine, its) = try Descriptor.pair()
        let number = Int(its.number)
        let names = Array(repeating: "own", count: number - 3) + ["control"]
        var environment = [
            "REFRAIN_UPGRADE": "\(getppid())", "LISTEN_FDS": "\(number - 2)",
            "LISTEN_FDNAMES": names.joined(separator: ":"),
        ]
        // The pair was made by this process and not by the one that is named.
        #expect(HandedOver.take { environment[$0] }?.predecessor == nil)
        environment["REFRAIN_UPGRADE"] = nil
        #expect(HandedOver.take { environment[$0] }?.predecessor == nil)
        withExtendedLifetime((mine, its)) {}
    }

    /// A process of 1.0.0 takes other messages for the end of its successor, and passes variables
    /// on that it does not know. In a process of its own: among a thousand descriptors of other
    /// tests the number of the channel would be too high.
    @Test func onlyAProcessThatSaysSoItselfIsToldWhy() async {
        await #expect(processExitsWith: .success) {
            let (mine, its) = try Descriptor.pair()
            let (number, process) = (Int(its.number), getpid())
            let names = Array(repeating: "own", count: number - 3) + ["control"]
            let given = HandedOver.variables([], from: process).map { $0.split(separator: "=", maxSplits: 1) }
            let own = given.first { $0[0] == HandedOver.version }.map { String($0[1]) }
            let channel = UpgradeChannel(mine)
            for (version, isTold) in [
                (own, true), ("\(process):3", true), ("\(process):12", true), (nil, false), ("\(process + 1):2", false),
                ("\(process):1", false), ("\(process)", false), ("\(process):2:2", false), ("\(process):two", false),
            ] {
                var environment = [
                    "REFRAIN_UPGRADE": "\(process)", "LISTEN_FDS": "\(number - 2)",
                    "LISTEN_FDNAMES": names.joined(separator: ":"),
                ]
                environment[HandedOver.version] = version
                let report = try #require(StartReport { environment[$0] })
                report.send(.failed("no room"))
                UpgradeChannel(its).send(.prepared)
                if isTold { #expect(channel.receive(within: .seconds(60)) == .failure(FailureMessage(["no room"]))) }
                #expect(channel.receive(within: .seconds(60)) == .message(.prepared))
                report.end()
                // Nothing is sent from then on.
                report.send(.failed("no room"))
            }
            #expect(channel.receive(within: .zero) == .nothingInTime)
            #expect(StartReport { _ in nil } == nil)
        }
    }

    @Test func portZeroStandsForThePortThatThePredecessorGot() throws {
        let sockets = try (0..<3).map { _ in try RawSocket.listening() }
        let addresses = try sockets.map { try #require(SocketAddress("127.0.0.1:\($0.port)")) }
        let any = try #require(SocketAddress("127.0.0.1:0"))
        let own = InheritedSockets(sockets.map { ($0.socket.descriptor, "own") }) { _ in false }
        let matched = own.matched(to: [any, addresses[0], any, any]).map { $0.map(\.address) }
        #expect(matched == [[addresses[1]], [addresses[0]], [addresses[2]], []])
        #expect(own.unused(by: [any]).map(\.address) == Array(addresses[1...]))
        // Once listened on it is the listeners'. Its number may be another descriptor's by then.
        let link = "/proc/self/fd/\(sockets[0].socket.descriptor)"
        let socket = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        own[addresses[0]].first?.settle()
        #expect(own[addresses[0]].isEmpty)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != socket)
        let kept = try RawSocket.listening().socket
        #expect(InheritedSockets([(kept.descriptor, "web")]).matched(to: [any]).joined().isEmpty)
        kept.close()
        for (socket, _) in sockets[1...] { socket.close() }
    }
}
