import CLinux
import Glibc

/// The width of a terminal in columns; nil for a pipe or a file, where nothing is cut, so that
/// programs read the same at any time.
func terminalWidth(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    let columns = Int(clinux_terminal_columns(descriptor))
    // It need not say.
    return columns > 0 ? columns : 80
}
