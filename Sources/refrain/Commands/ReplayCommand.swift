import Traffic

extension Command {
    static let replay = Command(
        "replay", "send recorded traffic again and measure the answers",
        positional: "FILE|compare A B", upTo: 3, options: ReplayOptions.all,
        details: [
            "FILE is a recording, a HAR file, or an index of recorded answers; - is the standard input. Without "
                + "--speed, --rate and --connections, requests are sent with the recorded timing. Personal requests "
                + "and unsafe methods are never sent.",
            "Latencies are reported twice: corrected latency counts from the time at which a request was due, "
                + "uncorrected latency from the time at which it was sent. A run is invalid if the generator's own lag "
                + "decides a --fail-if; the target is not at fault then.",
            "A request that times out counts in the latencies with the time after which it was given up. A --fail-if "
                + "on a latency also fails if more requests failed than lie above its percentile.",
            "--dry-run sends nothing: it runs the recording through the cache for each configuration, in virtual "
                + "time. It uses the settings that affect answers (ttl, compose, windows, batch, next, "
                + "superset_includes, documented_forms, sizes, upstream_rate, upstream_connections); it ignores "
                + "credentials and logs, whose files may be missing.",
            "--warm measures nothing: it fills a cache by requesting shared answers, and reports what the cache "
                + "stored. After a 429 or 503 it waits as long as Retry-After says and halves its rate; after five of "
                + "them in a row it stops with status 1.",
            "In a replay faster than the recording, stored answers stay fresh for more requests, unless the target's "
                + "ttl_speed equals the speed; --scale-ttl checks this on its admin listener.",
            "compare shows two results of --json side by side.",
            "The exit status is 1 if a --fail-if holds, if the run was stopped early, or if no request was sent or "
                + "answered; it is 3 if the run was invalid and must be repeated.",
        ],
        examples: [
            .init(
                "refrain replay trace.jsonl --target http://127.0.0.1:8080 --speed 10x",
                "replays ten times as fast as it was recorded"),
            .init(
                "refrain replay trace.jsonl --target http://127.0.0.1:8080 --rate 500/s --loop --duration 1m "
                    + "--fail-if 'p99>50ms'",
                "sends 500 requests a second for a minute, and fails if the 99th percentile is above 50 ms"),
            .init(
                "refrain replay trace.jsonl --dry-run --config proxy.conf --config longer.conf --html what-if.html",
                "shows within seconds what the recorded traffic would have cost under each configuration"),
            .init(
                "refrain replay compare before.json after.json --html comparison.html",
                "shows two runs side by side, as text and as HTML"),
        ],
        signals: [TaggedParagraph("TERM, INT", "stop and report the results so far")]
    ) { arguments, context throws(CommandFailure) in
        if arguments.positional.first == ReplayOptions.comparing { return try compareReplays(arguments, context) }
        if arguments.has(ReplayOptions.dryRun) { return try runDryRun(arguments, context) }
        if arguments.has(ReplayOptions.warm) { return try runWarming(WarmOptions(arguments), context) }
        let options = try ReplayOptions(arguments)
        try checkTTLSpeed(options.plan.pace, arguments, context)
        return try runReplay(options, context)
    }
}
