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
        if isRequired { throw .usage("replay: --scale-ttl requires the recorded timing (--speed)") }
        return
    }
    guard !isRequired || speed >= 1 && speed == speed.rounded() else {
        throw .usage("replay: --scale-ttl requires a whole number for --speed, because ttl_speed is one")
    }
    guard isRequired || speed > 1 else { return }
    guard isRequired || arguments.value(.admin) != nil else {
        return context.output.problem(
            "warn: requests come faster but stored answers live as long as before, so there are more hits than in the "
                + "recording; see --scale-ttl")
    }
    let found = try ttlSpeed(of: AdminClient(arguments, context))
    guard Double(found) != speed else { return }
    let problem = "the target has ttl_speed \(found), but the requests come \(speed) times as fast as in the recording"
    if isRequired { throw .failed("replay: \(problem)") }
    context.output.problem("warn: \(problem)")
}

private func ttlSpeed(of admin: AdminClient) throws(CommandFailure) -> Int {
    let stats = try? JSON.parse(admin.ask("/stats"))
    guard let speed = stats?["config"]?["ttl_speed"]?.intValue else {
        throw .failed(
            "\(admin.server): GET /stats has no ttl_speed; check that the proxy is running and that this is its "
                + "admin_listen")
    }
    return speed
}
