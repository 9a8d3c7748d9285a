import Recording
import Traffic

/// Options of `replay --warm`.
struct WarmOptions: Sendable {
    let plan: ReplayPlan
    let rate: RequestRate
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(CommandFailure) {
        try ReplayOptions.refuse(
            allBut: [
                ReplayOptions.warm, ReplayOptions.target, ReplayOptions.rate, ReplayOptions.connections,
                ReplayOptions.only, ReplayOptions.skip, ReplayOptions.method, ReplayOptions.status,
                ReplayOptions.outcome, ReplayOptions.storefront, ReplayOptions.header, ReplayOptions.headerFile,
                ReplayOptions.caFile, ReplayOptions.timeout, .json,
            ], in: arguments, because: "--warm fills a cache and measures nothing")
        let connections = try ReplayOptions.givenConnections(arguments) ?? ReplayOptions.usualWarmingConnections
        rate = try ReplayOptions.givenRate(arguments) ?? ReplayPace.warmingRate
        var plan = try ReplayOptions.plan(arguments, .warming(rate), connections)
        // An answer to HEAD has no content to keep.
        if plan.filter.methods.isEmpty { plan.filter.methods = ["GET"] }
        if let field = plan.fields.first(where: { RecordedFields.tellingWhoAsks.contains($0.name) }) {
            throw .usage("replay: --warm requests shared answers; \(field.name) would make them personal")
        }
        self.plan = plan
        isJSON = arguments.has(.json)
    }
}
