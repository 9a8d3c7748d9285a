import Foundation

/// The amount of work of a test.
///
/// A test that needs minutes has a brief size in `make test`, at which it still catches the faults
/// that it is there for. A test that each change must pass has a full one too, in `make test-long`,
/// which runs the suites that name one or need the release build, and sets `REFRAIN_LONG`. All have
/// a size for a release, of hours, in `make faults-long`, which sets `REFRAIN_FAULTS` too.
public enum TestSize {
    public static let isFull = ProcessInfo.processInfo.environment["REFRAIN_LONG"] == "1"

    public static func of<Value>(_ brief: Value, full: Value) -> Value {
        if isFull { return full }
        LeftOut.note("the full size of long tests (make test-long has it)")
        return brief
    }

    public static let isRelease = ProcessInfo.processInfo.environment["REFRAIN_FAULTS"] == "release"

    public static func of<Value>(_ brief: Value, full: Value, release: Value) -> Value {
        isRelease ? release : of(brief, full: full)
    }

    public static func of<Value>(_ brief: Value, release: Value) -> Value {
        if isRelease { return release }
        LeftOut.note("the size for a release (make faults-long has it)")
        return brief
    }
}

/// The `refrain` that tests start: the release build in `make test-long`, and in `make test`, which
/// does not wait for that one, the debug build.
public enum BinaryUnderTest {
    public static let path = ProcessInfo.processInfo.environment["REFRAIN_BINARY"]
}
