/// Runs the simulated API until it is told to stop.
func runSimulate(_ options: SimulateOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    throw .failed("simulate is not part of this build")
}
