import CLinux
import Dispatch
import EventLoop
import Glibc
import Text

/// The terminal while `refrain top` has it: a screen of its own, keys as they are pressed. Given
/// back in every way that the program can end but SIGKILL.
final class TopTerminal {
    private let before: termios
    private let signals = SignalWatcher(queue: DispatchQueue(label: "refrain.top"))

    // ECMA-48 and additions of xterm: the other screen, the cursor off and on, home, clear to the
    // end of line and screen.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
    private static let home = "\u{1B}[H"
    private static let endOfLine = "\u{1B}[K"
    private static let endOfScreen = "\u{1B}[J"

    /// nil where input or output is no terminal, or one that can only print.
    /// - Parameter kind: `TERM`.
    init?(kind: String?) {
        var settings = termios()
        guard kind != nil, kind != "dumb", isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            tcgetattr(STDIN_FILENO, &settings) == 0
        else {
            return nil
        }
        before = settings
        // Control-C comes as a key, so that it ends the program by the same way as `q`.
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Self.write(Self.enter)
        for signal in [SIGTERM, SIGHUP, SIGINT] {
            signals.on(signal) { @Sendable [before] in
                Self.giveBack(before)
                _exit(ExitStatus.done.rawValue)
            }
        }
    }

    deinit { Self.giveBack(before) }

    private static func giveBack(_ before: termios) {
        write(leave)
        var before = before
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    /// Lines there are now.
    var lines: Int? {
        let lines = Int(clinux_terminal_lines(STDOUT_FILENO))
        return lines > 0 ? lines : nil
    }

    /// Puts a text in the place of the one before, line by line, so that nothing flickers.
    func show(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(self.lines ?? .max)
        Self.write(Self.home + lines.joined(separator: Self.endOfLine + "\n") + Self.endOfLine + Self.endOfScreen)
    }

    private static let controlC: UInt8 = 3

    /// Waits until then; false as soon as the user leaves, or the terminal has gone.
    func stays(until deadline: Instant) -> Bool {
        while true {
            let left = deadline - Instant.now()
            guard left > .zero else { return true }
            var poller = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, max(1, CInt(clamping: (left / .milliseconds(1)).rounded(.up)))) > 0 else { continue }
            var key: UInt8 = 0
            guard read(STDIN_FILENO, &key, 1) == 1, key != UInt8(ascii: "q"), key != Self.controlC else { return false }
        }
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
