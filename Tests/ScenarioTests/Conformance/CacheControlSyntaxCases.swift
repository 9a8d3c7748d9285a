extension Conformance {
    /// Cache-Control that is odd or broken: RFC 9111 4.2.1, 5.2.
    static let cacheControlSyntax = ConformanceGroup(
        "cache-control-syntax",
        [
            // The first of two counts; the response may also be taken for stale, never for fresher
            // than the first.
            .reused("the first max-age of a line", "Cache-Control: max-age=1800, max-age=1"),
            .reused("the first max-age of two lines", "Cache-Control: max-age=1800", "Cache-Control: max-age=1"),
            .asked("a later max-age of a line", "Cache-Control: max-age=1, max-age=1800"),
            .asked("a later max-age of two lines", "Cache-Control: max-age=1", "Cache-Control: max-age=1800"),

            .reused("a quoted number", #"Cache-Control: max-age="3600""#),
            .asked("max-age in the quotes of another directive", #"Cache-Control: note="max-age=3600", max-age=1"#),
            .asked("max-age, then one in quotes", #"Cache-Control: max-age=1, note="max-age=3600""#),
            .asked("a number in single quotes", "Cache-Control: max-age='3600'"),

            .asked("a blank before the equals sign", "Cache-Control: max-age =3600"),
            .asked("a blank behind the equals sign", "Cache-Control: max-age= 3600"),
            .reused("zeros in front", "Cache-Control: max-age=003600"),
            .asked("a fraction of nothing", "Cache-Control: max-age=3600.0"),
            .asked("a fraction", "Cache-Control: max-age=3600.5"),
            .asked("a letter in front", "Cache-Control: max-age=a3600"),
            .asked("a letter behind", "Cache-Control: max-age=3600a"),
        ])
}
