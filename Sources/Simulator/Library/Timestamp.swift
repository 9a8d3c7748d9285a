// Instants as Apple writes them: `2021-07-30T12:00:00Z`.

enum Timestamp {
    /// The text of a moment in seconds since 1970, by the civil calendar (days to date as in Hinnant's algorithm).
    static func text(_ seconds: Int64) -> String {
        let days = Int(seconds / 86400)
        let second = Int(seconds % 86400)
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return String(year) + "-" + two(month) + "-" + two(day) + "T" + two(second / 3600) + ":"
            + two(second / 60 % 60) + ":" + two(second % 60) + "Z"
    }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
}
