/// The room for bytes that one composition reads, on a loop, from answers that have no map yet:
/// those in the file, and those that came from it. Whose: one composition's; the loop that composes
/// has one, and uses it again.
///
/// Reading, inflating and scanning take 4 ms a MiB (measured), so a composition with all its room
/// stops its loop for some 30 ms.
package final class SourceReading {
    /// The room of a composition: as much as the largest answer that is stored (FRAMING 2.3).
    /// Compositions of the recorded answers, 10 to 190 KB each, read less than a MiB.
    package static let most = 8 << 20

    /// Bytes that may be read.
    package private(set) var room = SourceReading.most
    /// Bytes that were read; of the last answer, perhaps in vain.
    package internal(set) var bytes = 0
    /// Whether an answer was not read for want of room: the composition is none then.
    package internal(set) var isShort = false

    package init() {}

    /// Begins anew, with this room.
    package func begin(room: Int = SourceReading.most) {
        (self.room, bytes, isShort) = (room, 0, false)
    }
}
