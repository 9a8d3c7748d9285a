extension Command {
    static let help = Command("help", "show the commands, or the options of one", positional: "[COMMAND]") {
        arguments, context throws(CommandFailure) in
        guard let name = arguments.positional.first else {
            context.output.standard(HelpText.overview())
            return .done
        }
        try context.output.standard(HelpText.text(of: Command.named(name)))
        return .done
    }
}
