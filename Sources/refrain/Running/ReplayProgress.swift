import Text
import Traffic

/// The line that is shown while a replay runs. Pure.
struct ReplayProgress {
    let planned: Int?
    let expected: Duration?

    /// From 0 to 1; nil where it is not known.
    func share(_ progress: Replay.Progress) -> Double? {
        // Recorded traffic comes in bursts: where there is a schedule, time tells more than
        // numbers.
        if let expected, expected > .zero { return min(1, progress.elapsed / expected) }
        return planned.map { $0 > 0 ? min(1, Double(progress.sent) / Double($0)) : 1 }
    }

    func text(_ progress: Replay.Progress) -> String {
        let seconds = progress.elapsed / .seconds(1)
        var parts = ["\(progress.sent)\(planned.map { " of \($0)" } ?? "") sent"]
        parts.append("\(seconds > 0 ? Int(clamping: Double(progress.answered) / seconds) : 0)/s")
        if let p99 = progress.p99 { parts.append("p99 \(Figure.time(nanoseconds: p99))") }
        parts.append("\(progress.failed) failed")
        if let share = share(progress), share > 0 { parts += left(progress, share) }
        return parts.joined(separator: ", ")
    }

    /// After the end of the schedule no time can be told: a target takes as long as it takes.
    private func left(_ progress: Replay.Progress, _ share: Double) -> [String] {
        guard share >= 1 else {
            let seconds = progress.elapsed / .seconds(1)
            return ["\(Int(clamping: (seconds / share - seconds).rounded())) s left"]
        }
        let waiting = (planned ?? progress.sent) - progress.answered - progress.failed
        return waiting > 0 ? ["waiting for \(waiting) \(waiting == 1 ? "answer" : "answers")"] : []
    }
}
