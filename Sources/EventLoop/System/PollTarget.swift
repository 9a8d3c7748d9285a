/// The owner of a descriptor, called by a loop when that is ready.
///
/// A loop finds it by a tag of a `SlotTable`: an event that was already taken from the kernel, or
/// that belongs to an earlier descriptor of the same number, finds no owner.
protocol PollTarget: AnyObject {
    /// Called on the loop, inside a turn.
    func descriptorIsReady(_ readiness: Readiness)
    /// The loop stops: close the descriptor.
    func loopStops()
}
