import Dispatch
import Glibc

/// Waits for what happens on other threads, at most so many seconds, or as many more as `Patience`
/// has; what is expected is checked by the caller afterwards.
public func waitUntil(within seconds: Int = 15, _ condition: () -> Bool) {
    let deadline = DispatchTime.now() + .seconds(Patience.seconds(seconds))
    while !condition(), DispatchTime.now() < deadline { usleep(1_000) }
}
