"""POST /purge with many stored entries, in turns. usage: latency.py A B [ENTRIES]"""
import sys, threading, time
from lab import *
binaries, entries = [b for b in sys.argv[1:3] if b != "-"], int(sys.argv[3]) if len(sys.argv) > 3 else 100000
BUDGET = 40  # seconds a binary and kind
say(f"## Purges with {entries} stored entries: answered after ms ({time.strftime('%H:%M')})")
origin = Origin()
sides = []
for name, binary in zip(("A", "B"), binaries):
    p = Proxy(binary, origin, "cache_size 4GiB\nbatch off\nttl albums 7d stale 7d")
    begun = time.monotonic()
    say(f"{name} {binary}: {fill(p, entries)} entries filled in {time.monotonic() - begun:.0f} s")
    sides.append((name, p))
kinds = {"url": lambda n: {"url": f"{CATALOG}albums/{100000 + n * 7 % entries}"},
         "url, not stored": lambda n: {"url": f"{CATALOG}albums/{9000000 + n}"},
         "resource": lambda n: {"resource": f"songs:{(100000 + n * 11 % entries) * 10}"},
         "prefix": lambda n: {"prefix": f"{CATALOG}albums/{1000 + n % 1000}"},
         "prefix of all": lambda n: {"prefix": f"{CATALOG}albums/"}}
for kind, want in kinds.items():
    for wait in (True, False):
        times = {name: [] for name, _ in sides}
        spent = dict.fromkeys(times, 0.0)
        able = {name: wait or takes_no_wait(p) for name, p in sides}
        for turn in range(40):
            for name, p in sides:
                purger = Purger(p)
                for n in range(5):
                    if not able[name] or spent[name] > BUDGET: break
                    status, ms = purger.purge(**want(turn * 5 + n), **({} if wait else {"wait": False}))
                    times[name].append(ms if 200 <= status < 300 else float("inf")); spent[name] += ms / 1000
        for name, t in times.items():
            say(f"{kind:16} wait={str(wait):5} {name}: " + (f"n={len(t):3} p50 {quantile(t, .5):9.2f}  p99 {quantile(t, .99):9.2f}  max {max(t):9.2f}" if t else "not known to it"))
say("Sixteen callers at once, 8 s: answered a second, and their p99")
for kind, want in list(kinds.items())[:4]:
    for wait in (True, False):
        for name, p in sides:
            if not wait and not takes_no_wait(p): continue
            begun, times, lock = time.monotonic(), [], threading.Lock()
            numbers = iter(range(10**6, 10**9))
            def work():
                purger = Purger(p)
                while time.monotonic() - begun < 8:
                    with lock: n = next(numbers)
                    status, ms = purger.purge(**want(n), **({} if wait else {"wait": False}))
                    times.append(ms if 200 <= status < 300 else float("inf"))
            threads = [threading.Thread(target=work) for _ in range(16)]
            for t in threads: t.start()
            for t in threads: t.join()
            say(f"{kind:16} wait={str(wait):5} {name}: {len(times) / (time.monotonic() - begun):8.1f}/s  p99 {quantile(times, .99):9.2f} ms")
