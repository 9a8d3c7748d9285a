"""Hits, misses, start-up and memory by the length of the list of purges, in turns. usage: speed.py A B [LENGTHS]"""
import sys, time
from lab import *
binaries = [b for b in sys.argv[1:3] if b != "-"]
lengths = [int(n) for n in sys.argv[3].split(",")] if len(sys.argv) > 3 else [0, 1, 100, 10000]
SECONDS, TURNS = 4, 3
say(f"## Speed by the number of purges remembered ({time.strftime('%H:%M')})")
origin = Origin()
first = 200000
base = {}
for length in lengths:
    sides = [(name, Proxy(binary, origin, "cache_size 4GiB\nbatch off")) for name, binary in zip("AB", binaries)]
    for name, p in sides:
        for n in range(300): p.get(f"{CATALOG}albums/{100000 + n}")
        if length:
            before = p.rss()
            done, seconds = purge_many(p, ({"url": f"{CATALOG}albums/{9000000 + n}"} for n in range(length)))
            say(f"{length:6} {name}: {done} purged in {seconds:.1f} s, {p.stats().get('purges_remembered', '?')} in the list; resident {before:.1f} -> {p.rss():.1f} MiB")
    for what, lua in (("hits", "hits.lua"), ("misses", "misses.lua")):
        got = {name: [] for name, _ in sides}
        for turn in range(TURNS):
            for name, p in sides if turn % 2 == 0 else sides[::-1]:
                got[name].append(wrk(p.port, lua, SECONDS, 32, first)); first += 200000
        for name, figures in got.items():
            rate, p99 = quantile([f[0] for f in figures], .5), quantile([f[1] for f in figures], .5)
            say(f"{length:6} {name} {what:6}: {rate:8.0f}/s (median of {TURNS}: {', '.join(f'{f[0]:.0f}' for f in figures)}), p99 {p99:.2f} ms", *(b for f in figures for b in f[2]))
    # The misses made the files large: start-up and memory are of new ones with 300 entries.
    for _, p in sides: p.remove()
    for name, binary in zip("AB", binaries):
        p = Proxy(binary, origin, "cache_size 4GiB\nbatch off")
        for n in range(300): p.get(f"{CATALOG}albums/{100000 + n}")
        if length: purge_many(p, ({"url": f"{CATALOG}albums/{9000000 + n}"} for n in range(length)))
        times, sizes = [], []
        for _ in range(5):
            p.stop(); begun = time.monotonic(); p.start()
            word = p.get(f"{CATALOG}albums/100001")[1]["Cache-Status"]
            times.append((time.monotonic() - begun) * 1000); time.sleep(0.5); sizes.append(p.rss())
        rss = quantile(sizes, .5); base.setdefault(name, rss)
        say(f"{length:6} {name} start to first answer ({word.split(';')[1].strip()}): median {quantile(times, .5):.0f} ms (max {max(times):.0f}); resident then {rss:.1f} MiB ({rss - base[name]:+.1f}), {p.stats().get('purges_remembered', '?')} in the list")
        p.remove()
