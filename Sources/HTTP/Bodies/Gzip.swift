import CLinux

// gzip (RFC 1952) over zlib, where the system has it. Pure but for loading the library, once.
// Must hold: inflated content takes no more memory than its bounds allow, whatever length it
// claims; anything but one whole, undamaged stream with nothing after it is an error, never a part
// of an answer.

/// The content coding `gzip`, or its absence. Callers are given one, so that they can be tested
/// without.
public struct Gzip: Sendable {
    /// Whether anything can be coded: false where there is no zlib.
    public let isAvailable: Bool

    /// By the system's zlib.
    public static let system = Gzip(isAvailable: clinux_zlib_load() == 0)
    /// The coder of a system without zlib.
    static let absent = Gzip(isAvailable: false)

    /// Why content was not inflated.
    public enum Failure: Error, Equatable {
        /// No single gzip stream: truncated, damaged, something after it, or no zlib to inflate it.
        case malformed
        /// So small for its inflated size that it is nothing but an attack (FRAMING 2.9).
        case suspicious
        /// The inflated content exceeds its bound.
        case tooLarge
    }

    /// Bounds of inflated content. JSON shrinks to an eighth, seldom to less than a thirtieth.
    public struct Bounds: Sendable {
        /// In bytes.
        var most: Int
        /// How many times its coded length it may have; below `harmless` bytes any.
        var ratio: Int
        var harmless: Int

        public init(most: Int = 8 << 20, ratio: Int = 100, harmless: Int = 256 << 10) {
            (self.most, self.ratio, self.harmless) = (most, ratio, harmless)
        }

        /// For content that this program coded or judged itself.
        public static let trusted = Bounds(ratio: .max)
    }

    /// How many bytes come out of it, as the end of the stream says, before anything is
    /// inflated.
    public func contentCount(of coded: [UInt8], _ bounds: Bounds = Bounds()) throws(Failure) -> Int {
        guard isAvailable, coded.count >= Self.leastBytes, coded[0] == 0x1F, coded[1] == 0x8B else {
            throw .malformed
        }
        let count = coded[(coded.count - 4)...].reversed().reduce(0) { $0 << 8 | Int($1) }
        let allowed = coded.count.multipliedReportingOverflow(by: bounds.ratio)
        if !allowed.overflow, count > max(allowed.partialValue, bounds.harmless) { throw .suspicious }
        guard count <= bounds.most else { throw .tooLarge }
        return count
    }

    /// The content. zlib is given as much room as the stream says that it needs, if that is within
    /// the bounds, and no more.
    public func inflate(_ coded: [UInt8], _ bounds: Bounds = Bounds()) throws(Failure) -> [UInt8] {
        let count = try contentCount(of: coded, bounds)
        var isWhole = false
        // zlib wants somewhere to write even where nothing comes out.
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { room, written in
            isWhole = coded.withUnsafeBytes {
                clinux_gunzip($0.baseAddress, $0.count, room.baseAddress, count) == 0
            }
            written = isWhole ? count : 0
        }
        guard isWhole else { throw .malformed }
        return bytes
    }

    /// The content in gzip; nil where that is not worth while, or there is no zlib.
    public func deflate(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
        // A form that saves less than an eighth costs more than it brings.
        let room = bytes.count - bytes.count / 8
        guard isAvailable, room > Self.leastBytes else { return nil }
        var count = 0
        let coded = [UInt8](unsafeUninitializedCapacity: room) { target, written in
            count = bytes.withUnsafeBytes {
                clinux_gzip($0.baseAddress, $0.count, target.baseAddress, target.count, level)
            }
            written = count
        }
        guard count > 0 else { return nil }
        // Not with the room that was never filled.
        return coded.withUnsafeBufferPointer { Array($0) }
    }

    /// Head and trailer, and the two bytes in which nothing is coded.
    private static let leastBytes = 20
}
