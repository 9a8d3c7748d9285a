extension Conformance {
    /// `Age` that is odd or broken: the first of a list counts, and what is no number is ignored
    /// (RFC 9111 5.1).
    static let ageSyntax = ConformanceGroup(
        "age-syntax",
        [
            .reused("no number", "Age: abc", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("a negative number", "Age: -7200", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("a fraction", "Age: 7200.0", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("a parameter", "Age: 7200;a=b", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("a parameter that is a number", "Age: 7200;a=111", "Cache-Control: max-age=3600", "Date: <+0>"),

            .asked("the largest of 31 bits", "Age: 2147483647", "Cache-Control: max-age=3600", "Date: <+0>"),
            .asked("2^31", "Age: 2147483648", "Cache-Control: max-age=3600", "Date: <+0>"),
            .asked("more than 2^31", "Age: 2147483649", "Cache-Control: max-age=3600", "Date: <+0>"),
            .asked("beyond any width", "Age: 99999999999999999999", "Cache-Control: max-age=3600", "Date: <+0>"),

            .asked("old, then new", "Age: 7200, 0", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("new, then old", "Age: 0, 7200", "Cache-Control: max-age=3600", "Date: <+0>"),
            .asked("old, then new, on two lines", "Age: 7200", "Age: 0", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("new, then old, on two lines", "Age: 0", "Age: 7200", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("nought twice", "Age: 0, 0", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused("nought on two lines", "Age: 0", "Age: 0", "Cache-Control: max-age=3600", "Date: <+0>"),
            .reused(
                "two lines are not added up", "Age: 3600", "Age: 3600", "Cache-Control: max-age=5000", "Date: <+0>"),
        ])
}
