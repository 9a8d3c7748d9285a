/// Steps of the wall clock.
package enum ClockStep {
    /// A clock that goes back by no more is being adjusted, in seconds: times ahead of it by that
    /// are believed.
    package static let adjustment: Int64 = 60
}
