/// Runs the simulated API and a proxy in front of it until it is told to stop.
func runDemo(_ options: DemoOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    throw .failed("demo is not part of this build")
}
