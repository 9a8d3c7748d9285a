import Text
import Traffic

/// Whether the target's stored answers age at the pace of a replay. Requests of a day in an hour
/// meet answers that are as fresh as an hour leaves them: without `ttl_speed` hit ratios are too
/// good.
///
/// Asks the admin listener that `--admin` names.
/// - Throws: with `--scale-ttl`, where the pace is another or cannot be known. Without it that is a
///   warning.
func checkTTLSpeed(
    _ pace: ReplayPace, _ arguments: CommandArguments, _ context: CommandContext
) throws(CommandFailure) {
    let isRequired = arguments.has(ReplayOptions.scaleTTL)
    guard case .recorded(let speed) = pace else {
        if isRequired { throw .usage("replay: --scale-ttl goes with the recorded timing (--speed)") }
        return
    }
    guard !isRequired || speed >= 1 && speed == speed.rounded() else {
        throw .usage("replay: --scale-ttl needs a speed that is a whole number, as ttl_speed is")
    }
    guard isRequired || speed > 1 else { return }
    guard isRequired || arguments.value(.admin) != nil else {
        return context.output.problem(
            "warn: stored answers last as long as ever while requests come faster, so there are more hits than in the recording; "
                + "see --scale-ttl")
    }
    let found = try ttlSpeed(of: AdminClient(arguments, context.files))
    guard Double(found) != speed else { return }
    let problem = "the target has ttl_speed \(found), and its requests come \(speed) times as fast as in the recording"
    if isRequired { throw .failed("replay: \(problem)") }
    context.output.problem("warn: \(problem)")
}

private func ttlSpeed(of admin: AdminClient) throws(CommandFailure) -> Int {
    let stats = try? JSON.parse(admin.get("/stats"))
    guard let speed = stats?["config"]?["ttl_speed"]?.intValue else {
        throw .failed(
            "\(admin.server): GET /stats says no ttl_speed; is the proxy running, and is this its admin_listen?")
    }
    return speed
}
