extension Command {
    static let simulate = Command(
        "simulate", "run the simulated Apple Music API alone, or serve a recording as one",
        options: SimulateOptions.all,
        details: [
            "The catalog is generated, and identical for the same seed. It follows the known behaviour of the API: "
                + "relationships, pages, languages, errors. Any developer token with the three parts of a JWT is "
                + "accepted unless --public-key is given, and any user token that begins with user-.",
            "If a recording has several answers to one request, the first success is served, and the first 403 to "
                + "requests without a user token. A request that was not recorded is answered 404 with the nearest "
                + "recorded target; a request whose content was not recorded, such as a personal one, is answered 501.",
            "In the modes record and fallback the clients' own tokens are sent to the origin and are not recorded; "
                + "X-Recording marks each answer as live or recorded.",
        ],
        examples: [
            .init("refrain simulate --seed 7 --latency 80", "answers after 80 milliseconds, like a distant origin"),
            .init("refrain simulate --recording traffic.jsonl", "serves the recorded answers with the recorded delays"),
            .init(
                "refrain simulate --recording dev.jsonl --mode record --upstream https://api.music.apple.com",
                "makes a recording for use without credentials"),
            .init(
                "refrain simulate --fault 503:0.05 --fault limit:20/s",
                "answers 5% of requests with 503, and 429 above 20 requests a second"),
        ],
        signals: TaggedParagraph.stopSignals
    ) { arguments, context throws(CommandFailure) in
        try runSimulate(SimulateOptions(arguments), context)
    }
}
