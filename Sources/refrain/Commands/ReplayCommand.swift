import Traffic

extension Command {
    static let replay = Command(
        "replay", "send recorded traffic again, and measure what comes back",
        positional: "FILE|compare A B", upTo: 3, options: ReplayOptions.all,
        details: [
            "FILE is a recording of this program's, a HAR file, or an index of recorded answers. Without --speed, --rate and "
                + "--connections requests come as they were recorded. Personal requests and unsafe methods are never sent.",
            "Latencies come twice: corrected ones count from when a request was due, uncorrected ones from when it was sent. A "
                + "run is invalid where the generator's own lateness decides about a --fail-if, which is no fault of the target's.",
            "--dry-run sends nothing: the recording goes through the cache itself, for each configuration, in virtual time. What decides "
                + "about answers counts (ttl, compose, windows, batch, next, superset_includes, documented_forms, sizes, upstream_rate, "
                + "upstream_connections); credentials and logs do not, and their files need not be there.",
            "--warm measures nothing: it asks a cache for what it is to hold, as everyone may have it, and says what the cache then "
                + "keeps. A refusal (429, 503) is waited out as long as Retry-After says and halves the pace; the fifth in a row ends it, "
                + "with status 1.",
            "A replay that is faster than its recording meets answers that are fresher than they were, unless the target's ttl_speed is "
                + "as much; --scale-ttl asks its admin listener.",
            "compare puts two results side by side that were written with --json.",
            "The exit status is 1 where a --fail-if holds, where the run was stopped early, and where nothing was answered or could be "
                + "sent; 3 where the run was invalid, so that it should be run again.",
        ],
        examples: [
            .init(
                "refrain replay trace.jsonl --target http://127.0.0.1:8080 --speed 10x",
                "replays ten times as fast as it was recorded"),
            .init(
                "refrain replay trace.jsonl --target http://127.0.0.1:8080 --rate 500/s --loop --duration 1m "
                    + "--fail-if 'p99>50ms'",
                "sends 500 requests a second for a minute, and fails where one in a hundred takes longer than 50 ms"),
            .init(
                "refrain replay trace.jsonl --dry-run --config proxy.conf --config longer.conf --html what-if.html",
                "says in seconds what the recorded traffic would have cost under either configuration"),
            .init(
                "refrain replay compare before.json after.json --html comparison.html",
                "puts two runs side by side, as text and as a page"),
        ],
        signals: [TaggedParagraph("TERM, INT", "stop, and report what was done until then")]
    ) { arguments, context throws(CommandFailure) in
        if arguments.positional.first == ReplayOptions.comparing { return try compareReplays(arguments, context) }
        if arguments.has(ReplayOptions.dryRun) { return try runDryRun(arguments, context) }
        if arguments.has(ReplayOptions.warm) { return try runWarming(WarmOptions(arguments), context) }
        let options = try ReplayOptions(arguments)
        try checkTTLSpeed(options.plan.pace, arguments, context)
        return try runReplay(options, context)
    }
}
