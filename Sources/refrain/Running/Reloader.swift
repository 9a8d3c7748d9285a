import Admin
import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Carries out SIGHUP: reads and checks the whole configuration, lets the proxy go over to it, or
/// says why not and changes nothing. One after the other, on a queue of its own, so that a slow
/// disk does not keep other signals waiting.
final class Reloader: Sendable {
    private let file: ConfigurationFile
    private let files: FileAccess
    private let proxy: RunningProxy
    private let log: OperationalLog
    private let manager: ServiceManager
    private let queue = DispatchQueue(label: "refrain.reload")
    /// The lines in effect and, by directive, sums of the files that a reload reads again.
    private let inEffect: Mutex<(lines: [SettingLine], contents: [String: Int])>
    private let isOver = Atomic<Bool>(false)

    init(
        _ file: ConfigurationFile, _ files: FileAccess, _ effective: EffectiveConfiguration, _ proxy: RunningProxy,
        _ log: OperationalLog, _ manager: ServiceManager
    ) {
        (self.file, self.files, self.proxy, self.log, self.manager) = (file, files, proxy, log, manager)
        inEffect = Mutex((effective.lines, Self.contents(of: effective.lines, files)))
    }

    /// - Parameters:
    ///   - cause: the signal or request that asked for it, for the log.
    ///   - completion: called with the result.
    func request(_ cause: String = "SIGHUP", _ completion: @escaping @Sendable (ReloadOutcome) -> Void = { _ in }) {
        queue.async { @Sendable [self] in
            // A proxy that stops does not begin to listen again.
            guard !isOver.load(ordering: .relaxed) else {
                log(.warn, "\(cause): ignored: the proxy is stopping")
                return completion(.refused(["the proxy is stopping"]))
            }
            completion(reload(cause))
        }
    }

    /// Runs `body` when no reload is under way, and keeps those waiting that are asked for
    /// meanwhile. Not for a proxy that is stopping.
    func pause(_ body: @escaping @Sendable () -> Void) {
        queue.async { @Sendable [self] in
            if !isOver.load(ordering: .relaxed) { body() }
        }
    }

    /// Runs `body` after the reload that is under way, and carries out no other.
    func end(_ body: @escaping @Sendable () -> Void = {}) {
        isOver.store(true, ordering: .relaxed)
        queue.async { @Sendable in body() }
    }

    private func reload(_ cause: String) -> ReloadOutcome {
        let monotonic = Instant.now().nanoseconds / 1000
        manager.tell(.reloading(monotonicMicroseconds: monotonic))
        do throws(CommandFailure) {
            let (changes, ending) = try adoptFile()
            proxy.reloads.noteSuccess(at: Int64(time(nil)))
            let words = changes.map(\.words).joined(separator: "; ")
            let what = changes.isEmpty ? "no setting has changed" : "changed: " + words
            let ends = ending > 0 ? "; \(ReloadOutcome.words(ofEnding: ending))" : ""
            log(.info, "\(cause): reloaded \(file.path) (\(what))\(ends)")
            manager.tell(.ready(status: "reloaded"))
            return .adopted(changed: changes.map(\.name), ending: ending)
        } catch {
            let message = error.messages.joined(separator: "; ")
            proxy.reloads.noteFailure(message)
            log(.error, "\(cause): nothing was changed: \(message)")
            // It is as ready as it was.
            manager.tell(.ready(status: "the last reload failed: \(message)"))
            return .refused(error.messages)
        }
    }

    /// - Returns: the directives that say something else now, or whose files do, and for the log
    ///   how; of a file that is named no content. And how many connections end.
    private func adoptFile() throws(CommandFailure) -> (changes: [(name: String, words: String)], ending: Int) {
        let effective = try ConfigurationReader.read(file, files: files)
        let before = inEffect.withLock { $0 }
        let refused = effective.changesThatNeedRestart(since: before.lines, path: file.path)
        guard refused.isEmpty else { throw .configuration(refused) }
        let ending = try effective.placingFailures { () throws(CommandFailure) in
            try proxy.adopt(effective.configuration)
        }
        let contents = Self.contents(of: effective.lines, files)
        inEffect.withLock { $0 = (effective.lines, contents) }
        let certificates = proxy.running.withLock { $0.certificates }
        for text in effective.configuration.warnings(at: Int64(time(nil)), certificates) { log(.warn, text) }
        let changed = effective.changes(since: before.lines).map(\.name)
        let renewed = Directive.table.map(\.name).filter { name in
            before.contents[name] != contents[name] && !changed.contains(name)
        }.map { "\($0) (its file)" }
        return (changed.map { ($0, effective.words(of: $0, since: before.lines)) } + renewed.map { ($0, $0) }, ending)
    }

    /// Sums of the content of files: some are secrets, of which nothing else is kept.
    private static func contents(of lines: [SettingLine], _ files: FileAccess) -> [String: Int] {
        var sums: [String: Int] = [:]
        for line in lines where !line.directive.needsRestart {
            sums[line.directive.name] = line.directive.fileRule.sum?(files, line.words[0])
        }
        return sums
    }
}

extension EffectiveConfiguration {
    /// An error for each directive that means something else than in `before` and cannot while the
    /// proxy runs.
    func changesThatNeedRestart(since before: [SettingLine], path: String) -> [ConfigurationError] {
        changes(since: before).filter(\.needsRestart).map { directive in
            let message =
                "\(directive.name): a reload cannot change it; send SIGUSR2 (an upgrade without a break), "
                + "or restart the proxy"
            guard let place = lines.first(where: { $0.directive.name == directive.name })?.place else {
                return ConfigurationError(place: nil, message: "\(path): \(message)")
            }
            return ConfigurationError(place: place, message: message)
        }
    }

    /// `compose on -> off`: the lines of a directive that are gone, and those that are new.
    fileprivate func words(of name: String, since before: [SettingLine]) -> String {
        func values(_ lines: [SettingLine]) -> [String] { lines.filter { $0.directive.name == name }.map(\.value) }
        let difference = values(lines).difference(from: values(before))
        let parts = [difference.removals, difference.insertions].map { changes in
            let values = changes.map { change in
                switch change {
                case .remove(_, let value, _), .insert(_, let value, _): value
                }
            }
            return values.isEmpty ? "none" : values.joined(separator: ", ")
        }
        return "\(name) \(parts[0]) -> \(parts[1])"
    }

    /// The directives that mean something else than in `before`; how they are spelt does not
    /// matter.
    func changes(since before: [SettingLine]) -> [Directive] {
        Directive.table.filter { directive in
            // They have been applied before, without errors.
            var errors: [ConfigurationError] = []
            let mine = lines.filter { $0.directive.name == directive.name }
            let theirs = before.filter { $0.directive.name == directive.name }
            return Configuration(applying: mine, errors: &errors) != Configuration(applying: theirs, errors: &errors)
        }
    }
}
