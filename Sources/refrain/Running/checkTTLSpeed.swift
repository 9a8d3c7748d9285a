import AppleMusic

extension WhatIfOptions {
    static let scaleTTL = CommandOption(
        "scale-ttl",
        "insist that what the target stores ages as much faster as it is asked: its ttl_speed has to be that of --speed"
    )
}

/// Whether the target's stored answers age at the pace of a replay. Requests of a day in an hour meet answers that are as fresh as
/// an hour leaves them: without `ttl_speed` hit ratios are too good.
///
/// Asks the admin listener that `--admin` names.
/// - Parameter speed: how many times as fast as they were recorded requests are sent.
/// - Throws: with `--scale-ttl`, where the pace is another or cannot be known; otherwise that is a warning, and none where nothing
///   is scaled anyway.
func checkTTLSpeed(
    _ speed: Double, _ arguments: CommandArguments, _ context: CommandContext
) throws(CommandFailure) {
    let isRequired = arguments.has(WhatIfOptions.scaleTTL)
    guard isRequired || speed > 1 else { return }
    let wanted = Int(speed.rounded())
    guard !isRequired || Double(wanted) == speed, wanted >= 1 else {
        throw .usage("replay: --scale-ttl needs a speed that is a whole number, as ttl_speed is")
    }
    let found: Int
    do throws(CommandFailure) {
        found = try ttlSpeed(of: AdminClient(arguments, context.files))
    } catch {
        if isRequired { throw error }
        context.output.problem(
            "warn: whether the target's answers age \(wanted) times as fast is not known; if not, hit ratios are too good (ttl_speed)"
        )
        return
    }
    guard found != wanted else { return }
    let problem = "the target has ttl_speed \(found), and the replay is \(wanted) times as fast as the recording"
    if isRequired { throw .failed("replay: " + problem) }
    context.output.problem("warn: \(problem): its hit ratios are not those of such clients")
}

private func ttlSpeed(of admin: AdminClient) throws(CommandFailure) -> Int {
    let stats = try? JSON.parse(admin.get("/stats"))
    guard let speed = stats?["config"]?["ttl_speed"]?.intValue else {
        throw .failed(
            "\(admin.server): GET /stats says no ttl_speed; is the proxy running, and is this its admin_listen?")
    }
    return speed
}
