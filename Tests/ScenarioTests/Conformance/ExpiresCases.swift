extension Conformance {
    /// Freshness by Expires, which counts from Date: RFC 9111 4.2.1, 4.2.3, 5.3.
    static let expires = ConformanceGroup(
        "expires",
        [
            .reused("in the future", "Expires: <+2592000>", "Date: <+0>"),
            .asked("in the past", after: 0, "Expires: <-2592000>", "Date: <+0>"),
            .asked("this moment", after: 0, "Expires: <+0>", "Date: <+0>"),
            .asked("before a Date that is ahead", "Expires: <+300>", "Date: <+400>"),
            .asked("no date", after: 0, "Expires: 0", "Date: <+0>"),
            .reused("with a Date that is none", after: 0, "Expires: <+10>", "Date: soon"),
            .asked("an Age beyond it, Date behind", after: 0, "Expires: <+10>", "Date: <-10>", "Age: 25"),
            .asked("an Age beyond it, Date ahead", after: 0, "Expires: <+20>", "Date: <+10>", "Age: 15"),
        ])

    /// The three date formats, and what is none of them: RFC 9110 5.6.7.
    static let expiresSyntax = ConformanceGroup(
        "expires-syntax",
        [
            .reused("beyond 32 bits", "Expires: Wed, 20 Jan 2038 00:00:00 GMT", "Date: <+0>"),
            .reused("centuries ahead", "Expires: Sun, 21 Nov 2286 04:46:39 GMT", "Date: <+0>"),
            .reused("the format of RFC 850", "Expires: Friday, 04-Nov-50 12:30:45 GMT", "Date: <+0>"),
            .reused("the format of asctime", "Expires: Fri Nov  4 12:30:45 2050", "Date: <+0>"),
            .reused("a weekday in capitals", "Expires: FRI, 04 Nov 2050 12:30:45 GMT", "Date: <+0>"),
            .reused("a month in capitals", "Expires: Fri, 04 NOV 2050 12:30:45 GMT", "Date: <+0>"),
            .reused("a time zone in small letters", "Expires: Fri, 04 Nov 2050 12:30:45 gmt", "Date: <+0>"),

            .asked("UTC for GMT", "Expires: Fri, 04 Nov 2050 12:30:45 UTC", "Date: <+0>"),
            .asked("another time zone", "Expires: Fri, 04 Nov 2050 12:30:45 CET", "Date: <+0>"),
            .asked("a year of two digits", "Expires: Fri, 04 Nov 50 12:30:45 GMT", "Date: <+0>"),
            .asked("no comma", "Expires: Fri 04 Nov 2050 12:30:45 GMT", "Date: <+0>"),
            .asked("two blanks", "Expires: Fri, 04  Nov  2050 12:30:45 GMT", "Date: <+0>"),
            .asked("dashes", "Expires: Fri, 04-Nov-2050 12:30:45 GMT", "Date: <+0>"),
            .asked("points in the time", "Expires: Fri, 04 Nov 2050 12.30.45 GMT", "Date: <+0>"),
            .asked("an hour of one digit", "Expires: Fri, 04 Nov 2050 2:30:45 GMT", "Date: <+0>"),
            .asked(
                "two lines that are no dates", "Expires: Fri, 04 Nov 2050 2:30:45 GMT",
                "Expires: Fri, 04 Nov 2050 2:30:46 GMT", "Date: <+0>"),
        ])
}
