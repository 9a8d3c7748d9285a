extension FixedWidthInteger {
    /// The whole part of `value`, or the nearest number that this type has; 0 for NaN.
    ///
    /// `Int(_: Double)` ends the process where the number does not fit, and numbers come from
    /// others: an engine, a file, a peer. A test of the house finds its uses.
    @inlinable
    public init(clamping value: Double) {
        // As a Double the greatest number may be rounded up, and would be out of range.
        if value >= Double(Self.max) {
            self = .max
        } else if value <= Double(Self.min) {
            self = .min
        } else {
            self = value.isNaN ? 0 : Self(value)
        }
    }
}
