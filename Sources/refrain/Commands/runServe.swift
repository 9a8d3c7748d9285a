/// Runs the proxy until it is told to stop. `path` is the file that SIGHUP reads again with `ConfigurationFile.read`.
func runServe(
    _ effective: EffectiveConfiguration, path: String, _ context: CommandContext
) throws(CommandFailure) -> ExitStatus {
    throw .failed("serve is not part of this build")
}
