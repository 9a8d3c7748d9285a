import Glibc
import Text

// `check`: the configuration in effect, and the warnings that `serve` would log. Secrets cannot
// appear: the configuration holds only their paths.

extension Command {
    static let check = Command(
        "check", "read the configuration, show the settings and where each came from", options: [.config, .json],
        details: [
            "The output is itself a configuration with the same meaning. All errors are listed at once. Secrets are "
                + "never shown: the configuration holds only the names of their files, which check opens and validates.",
            "Of a credential of systemd ($CREDENTIALS_DIRECTORY) it looks at the source that LoadCredential= of the unit "
                + "names, which the next start copies. It says if that has changed since the running service's copy.",
            "After the settings it shows the shared tier, if one is configured, and the name of this node. It "
                + "connects to the engines, and warns if none can be used: a start would go on without them.",
            "It tries the first steps of serve and undoes them: an access log that cannot be written, or an address "
                + "that this machine does not have, is an error here too. An address in use is only reported, because "
                + "the running proxy may be using it.",
            "It warns if upstream has no address, if the certificate chain is out of order or lacks an intermediate, "
                + "and if the proxy at admin_listen serves another certificate.",
            "It says how many clients fit into the limit on descriptors under which check runs, in all and of one "
                + "address, and which limit refuses first.",
            "It ends with the maximum memory of the proxy, by part: the worst case that each setting allows. It warns "
                + "if that exceeds the limit of the process, and fails if there are too few threads or descriptors.",
        ],
        examples: [
            .init("refrain check", "shows each setting in effect and where it came from"),
            .init(
                "refrain check --config new.conf && mv new.conf proxy.conf",
                "installs a new file only if it is valid"),
        ]
    ) { arguments, context throws(CommandFailure) in
        let file = try ConfigurationFile.chosen(by: arguments, context)
        let files = context.files.ofNextStart
        let effective = try ConfigurationReader.read(file, files: files)
        let configuration = effective.configuration
        let forecast = ConfigurationChecks(
            configuration: configuration, lines: effective.lines, files: files
        ).forecast()
        guard forecast.errors.isEmpty else { throw .configuration(forecast.errors) }
        if let shortage = configuration.shortage(under: ResourceLimits()) { throw .failed(shortage) }
        let now = Int64(time(nil))
        let warnings =
            configuration.warnings(at: now, readAt: files.placeAtNextStart) + forecast.warnings
            + configuration.surroundings(files) + configuration.tierComplaints(files)
        for warning in warnings { context.output.problem("warn: \(warning)") }
        for note in forecast.notes { context.output.problem("note: \(note)") }
        let bounds = configuration.memoryBounds
        let room = configuration.clientRoom(under: DescriptorLimit.most)
        context.output.standard(
            arguments.has(.json)
                ? effective.json(bounds, room, warnings: warnings, notes: forecast.notes)
                : effective.text() + configuration.tierText + room.text() + bounds.text())
        return .done
    }
}

extension EffectiveConfiguration {
    /// The configuration, a directive a line, each with ` # default` or ` # file:line`. It is
    /// itself a configuration of the same meaning; unset directives are comments.
    func text() -> String {
        var text = ""
        for directive in Directive.table where directive.name != Directive.include {
            let mine = lines.filter { $0.directive.name == directive.name }
            if mine.isEmpty { text += "# \(directive.name) \(directive.arguments) # unset\n" }
            for line in mine { text += "\(line.spelling) # \(line.place?.description ?? "default")\n" }
        }
        return text
    }

    /// `{"settings":[{"directive","arguments":[...],"source"}],"shared_tier":{...},"clients":{...},
    /// "memory":{...},"warnings":[...],"notes":[...]}`, in the same order, without unset
    /// directives.
    func json(_ bounds: [MemoryBound], _ room: ClientRoom, warnings: [String], notes: [String]) -> String {
        let settings = lines.map { line -> JSON in
            [
                "directive": .string(line.directive.name),
                "arguments": .array(line.words.map { .string($0) }),
                "source": .string(line.place?.description ?? "default"),
            ]
        }
        return JSON.object(members: [
            "settings": .array(settings), "shared_tier": configuration.tierJSON, "clients": room.json,
            "memory": bounds.json(), "warnings": .array(warnings.map { .string($0) }),
            "notes": .array(notes.map { .string($0) }),
        ]).description + "\n"
    }
}
