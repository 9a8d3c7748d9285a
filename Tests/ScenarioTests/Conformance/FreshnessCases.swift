extension Conformance {
    /// How long a response is fresh: RFC 9111 4.2.1, 4.2.3, 5.2.2.1, 5.2.2.10.
    static let freshness = ConformanceGroup(
        "freshness",
        [
            .asked("nothing that says how long"),
            .reused("max-age", "Cache-Control: max-age=3600"),
            .asked("max-age that is over", "Cache-Control: max-age=2", "Date: <+0>"),
            .asked("max-age that is just over", after: 3, "Cache-Control: max-age=3"),
            .reused("max-age with a second to go", after: 3, "Cache-Control: max-age=4"),
            .asked("max-age of nothing", after: 0, "Cache-Control: max-age=0"),
            .asked("max-age below nothing", "Cache-Control: max-age=-3600"),
            .reused("max-age in any case", "Cache-Control: mAx-AgE=3600"),
            .reused("max-age beside an unknown directive", "Cache-Control: perhaps, max-age=3600"),

            .reused("the largest max-age of 31 bits", "Cache-Control: max-age=2147483647"),
            .reused("a max-age of 2^31", "Cache-Control: max-age=2147483648"),
            .reused("a max-age above 2^31", "Cache-Control: max-age=2147483649"),
            .reused("a max-age beyond any width", "Cache-Control: max-age=99999999999"),

            .asked("an Age above max-age", "Cache-Control: max-age=3600", "Age: 7200", "Date: <+0>"),
            .asked("a Date longer ago than max-age", "Cache-Control: max-age=3600", "Date: <-7200>"),

            .reused(
                "max-age over an Expires in the past", "Cache-Control: max-age=3600", "Expires: <-7200>", "Date: <+0>"),
            .reused(
                "max-age over an Expires that is no date", "Cache-Control: max-age=3600", "Expires: 0", "Date: <+0>"),
            .asked("max-age of nothing over Expires", "Cache-Control: max-age=0", "Expires: <+3600>", "Date: <+0>"),

            .reused("s-maxage", "Cache-Control: s-maxage=3600"),
            .asked("a shorter s-maxage over max-age", "Cache-Control: max-age=3600, s-maxage=1"),
            .asked("a shorter s-maxage before max-age", "Cache-Control: s-maxage=1, max-age=3600"),
            .asked(
                "a shorter s-maxage on a line of its own", "Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"),
            .reused("a longer s-maxage over max-age", "Cache-Control: max-age=1, s-maxage=3600"),
            .reused("s-maxage over everything", "Cache-Control: max-age=0, s-maxage=3600", "Expires: <-10>"),
        ])
}
