/// Seconds as people say them: the two largest units, `11h 59m`, `3d 4h`.
public enum SpanOfTime {
    public static func text(_ seconds: Int) -> String {
        guard seconds >= 0 else { return "-" + text(-seconds) }
        let units = [
            ("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("m", seconds / 60 % 60), ("s", seconds % 60),
        ]
        let shown = units.drop { $0.1 == 0 }.prefix(2).filter { $0.1 > 0 }
        return shown.isEmpty ? "0s" : shown.map { "\($0.1)\($0.0)" }.joined(separator: " ")
    }
}
