import Text

// Buckets by their smallest value, so that a reader need not know how they are numbered; what is
// derived from them stands beside them for people and other programs, and is not read back.

extension Histogram {
    var json: JSON {
        var object = JSONObject(["unit": "ns", "count": .integer(count)])
        if let minimum, let maximum, let mean, let standardDeviation {
            object.append("min", .integer(minimum))
            object.append("max", .integer(maximum))
            object.append("mean", .number(String(mean)))
            object.append("standard_deviation", .number(String(standardDeviation)))
            let percentiles = Percentile.reported.map { percentile in
                JSONObject.Member(key: percentile.name, value: .integer(quantile(percentile.share) ?? 0))
            }
            object.append("percentiles", .object(JSONObject(members: percentiles)))
        }
        object.append("buckets", .array(occupied.map { [.integer($0.lowest), .integer($0.count)] }))
        return .object(object)
    }

    init(_ members: ResultMembers) throws(ReplayResultError) {
        self.init()
        for (name, pair) in try members.elements("buckets") {
            guard pair.arrayValue?.count == 2, let lowest = pair[0]?.intValue, (0...Self.highest).contains(lowest),
                let times = ResultMembers.count(pair[1]), times > 0, count + times <= ResultMembers.mostCounted
            else {
                throw ReplayResultError(
                    "\(name) is not [smallest value in nanoseconds, how many], the former up to \(Self.highest)")
            }
            record(nanoseconds: Int64(lowest), times: times)
        }
        guard count > 0 else { return }
        let (minimum, maximum) = (try members.count("min"), try members.count("max"))
        guard setExtremes(minimum, maximum) else {
            throw members.problem("max", "in the last of the buckets, with min in the first")
        }
    }
}
