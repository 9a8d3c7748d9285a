import Text

/// The generator whose whole state is the seed that a failing property prints.
public typealias SeededGenerator = SplitMix64
