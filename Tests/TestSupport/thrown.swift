/// The error that a call throws; nil where it returns.
public func thrown<Failure: Error, Outcome>(_ body: () throws(Failure) -> Outcome) -> Failure? {
    do throws(Failure) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
