extension Command {
    static let simulate = Command(
        "simulate", "run the simulated Apple Music API alone, or serve a recording as one",
        options: SimulateOptions.all,
        details: [
            "The catalog is made up, and the same for the same seed; it behaves like the API where that is known: relationships, "
                + "pages, languages, errors. Any developer token with the three parts of a JWT will do unless --public-key says whose.",
            "Of several answers to one request in a recording, the first success is served, and the first 403 to requests without a "
                + "user token. Requests that were not recorded get a 404 that names the nearest, and those whose content was not, such "
                + "as one user's, a 501.",
            "In the modes record and fallback the clients' own tokens go to the origin and are not recorded; X-Recording says of "
                + "each answer whether it is live or recorded.",
        ],
        examples: [
            .init("refrain simulate --seed 7 --latency 80", "answers after 80 milliseconds, as an origin far away"),
            .init("refrain simulate --recording traffic.jsonl", "answers as was recorded, as fast as the origin did"),
            .init(
                "refrain simulate --recording dev.jsonl --mode record --upstream https://api.music.apple.com",
                "makes a recording to work with where there are no credentials"),
            .init("refrain simulate --fault 503:0.05 --fault limit:20/s", "fails now and then, and refuses haste"),
        ],
        signals: TaggedParagraph.stopSignals
    ) { arguments, context throws(CommandFailure) in
        try runSimulate(SimulateOptions(arguments), context)
    }
}
