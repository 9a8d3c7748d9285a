import Text

/// All of a run as JSON: what was measured, on what machine, and how.
enum ResultsDocument {
    static func json(_ rows: [ResultRow], machine: Machine, plan: RoundPlan, failures: [String]) -> JSON {
        .object(members: [
            "machine": machine.json,
            "rounds": .integer(plan.rounds),
            "seconds_a_round": .integer(plan.seconds),
            "rows": .array(rows.map(json)),
            "failures": .array(failures.map { .string($0) }),
        ])
    }

    static func json(_ row: ResultRow) -> JSON {
        .object(members: [
            "measurement": .string(row.measurement),
            "name": .string(row.name),
            "unit": .string(row.unit),
            "refrain": number(row.ours),
            "target": json(row.target, row.ours),
            "others": .array(row.others.map(json)),
            "notes": .array(row.notes.map { .string($0) }),
        ])
    }

    private static func json(_ other: Other) -> JSON {
        .object(members: [
            "name": .string(other.name),
            "figure": number(other.figure),
            "ratio": number(other.ratio),
            "target": json(other.target, other.ratio),
        ])
    }

    private static func json(_ target: Target?, _ measured: Double?) -> JSON {
        guard let target else { return .null }
        return .object(members: [
            "comparison": .string(target.comparison.rawValue),
            "bound": number(target.bound),
            "met": measured.map { .bool(target.isMet(by: $0)) } ?? .null,
        ])
    }

    /// To four decimals. JSON has no infinities and nothing that is not a number.
    static func number(_ value: Double?) -> JSON {
        guard let value, value.isFinite else { return .null }
        let rounded = (value * 10_000).rounded() / 10_000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? .integer(Int(rounded)) : .number("\(rounded)")
    }
}
