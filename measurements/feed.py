"""A feed of purges beside 200 clients of 300 albums, in turns. usage: feed.py A B [RATES] [HARD]

Even albums are those that a purge of the second sort (read) names; odd ones are never named. Figures of odd ones alone."""
import asyncio, itertools, random, sys, threading, time
from lab import *
binaries, rates = [b for b in sys.argv[1:3] if b != "-"], [int(r) for r in (sys.argv[3] if len(sys.argv) > 3 else "1000,10000").split(",")]
HARD = {"hard": True} if len(sys.argv) > 4 else {}
CLIENTS, ALBUMS, WARM, SECONDS, PAUSE, LATENCY = 200, 300, 5, 12, 0.2, 50
weights = list(itertools.accumulate(1 / (n + 10) for n in range(ALBUMS // 2)))

def target(rng):
    parity = rng.random() < .5
    album = lambda: 100000 + 2 * rng.choices(range(ALBUMS // 2), cum_weights=weights)[0] + parity
    kind = rng.random()
    if kind < .6: return f"{CATALOG}albums/{album()}", parity
    if kind < .85: return f"{CATALOG}albums/{album()}?include=artists", parity
    if kind < .95: return f"{CATALOG}songs/{album() * 10 + rng.randrange(5)}", parity
    return f"{CATALOG}albums?ids={','.join(sorted({str(album()) for _ in range(3)}))}", parity

async def client(port, seed, over, rows):
    rng, loop = random.Random(seed), asyncio.get_running_loop()
    await asyncio.sleep(rng.random() * PAUSE)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.monotonic() < over:
        t, odd = target(rng)
        begun = time.monotonic()
        writer.write(f"GET {t} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        at = head.index(b"ontent-Length: ") + 15
        await reader.readexactly(int(head[at:head.index(b"\r", at)]))
        ended = time.monotonic()
        at = head.index(b"Cache-Status: refrain; ") + 23
        words = head[at:head.index(b"\r", at)]
        rows.append((begun, (ended - begun) * 1000, words.startswith(b"hit"), odd, b"outdated" in words, head[9:12]))
        await asyncio.sleep(PAUSE * (.5 + rng.random()))
    writer.close()

def purger(proxy, want, rate, from_, over, counts):
    """Open loop on 16 connections: whatever is late counts as late, and is not left out."""
    lock, numbers = threading.Lock(), itertools.count()
    def work():
        p = Purger(proxy)
        while True:
            with lock: n = next(numbers)
            due = from_ + n * 60 / rate
            if due > over or time.monotonic() > over: return
            time.sleep(max(0, due - time.monotonic()))
            status, ms = p.purge(**want(n), **HARD)
            counts.append((status, ms))
    threads = [threading.Thread(target=work) for _ in range(16)]
    for t in threads: t.start()
    return threads

def run(binary, want, rate):
    origin = Origin(LATENCY, log=True)
    p = Proxy(binary, origin, "".join(f"ttl {c} 8s\n" for c in ("albums", "songs", "artists")))
    begun = time.monotonic()
    from_, over, rows, counts = begun + WARM, begun + WARM + SECONDS, [], []
    threads = purger(p, want, rate, from_ - 1, over, counts) if want else []
    async def all_(): await asyncio.gather(*(client(p.port, n, over, rows) for n in range(CLIENTS)))
    asyncio.run(all_())
    for t in threads: t.join()
    rows = [r for r in rows if r[0] >= from_]
    odd = [r for r in rows if r[3]]
    asked = [t for t in origin.seen(from_ * 1000) if CATALOG in t]
    ids = [int(i) // (10 if "/songs" in t else 1) for t in asked for i in (t.partition("ids=")[2].partition("&")[0].replace("%2C", ",") or t.partition("?")[0].rsplit("/", 1)[1]).split(",") if i.isdigit()]
    unnamed = sum(i % 2 for i in ids)
    hits = [r[1] for r in odd if r[2]]
    bad = sum(r[5] != b"200" for r in rows)
    p.remove(); origin.stop()
    ok = [ms for s, ms in counts if 200 <= s < 300]
    return dict(rate=len(rows) / SECONDS, share=100 * len(hits) / max(1, len(odd)), asked=len(asked) / SECONDS, unnamed=unnamed / SECONDS, outdated=100 * sum(r[4] for r in odd) / max(1, len(odd)),
                p50=quantile(hits, .5), p99=quantile(hits, .99), purges=len(ok) / (SECONDS + 1) * 60, late=quantile(ok, .99), bad=bad + len(counts) - len(ok))

unread = {"url": lambda n: {"url": f"{CATALOG}albums/{9000000 + n}"}, "resource": lambda n: {"resource": f"songs:{90000000 + n}"},
          "prefix": lambda n: {"prefix": f"{CATALOG}playlists/pl.{n}"}}
even = lambda n: 100000 + 2 * (n * 7 % (ALBUMS // 2))
read = {"url": lambda n: {"url": f"{CATALOG}albums/{even(n)}"}, "resource": lambda n: {"resource": f"albums:{even(n)}"},
        "prefix": lambda n: {"prefix": f"{CATALOG}albums/{even(n)}"}}
say(f"## A feed of purges{' (hard)' if HARD else ''}; {CLIENTS} clients, {ALBUMS} albums, lifetime 8 s, origin {LATENCY} ms ({time.strftime('%H:%M')}); figures of albums that no purge names")
say("                         | requests/s | hits % | outdated % | ids asked for/s | all asked/s | hit p50 ms | p99 ms | purges/min | their p99 ms | failed")
runs = [("no purges", None, 0)] + [(f"{r}/min {sort} {k}", w, r) for r in rates for sort, ws in (("unread", unread), ("read", read)) for k, w in ws.items()] + [("no purges", None, 0)]
for words, want, rate in runs:
    for name, binary in zip("AB", binaries):
        g = run(binary, want, rate)
        say(f"{words:23} {name}| {g['rate']:8.0f} | {g['share']:6.1f} | {g['outdated']:6.1f} | {g['unnamed']:6.1f} | {g['asked']:6.1f} | {g['p50']:6.2f} | {g['p99']:6.2f} | {g['purges']:6.0f} | {g['late']:7.1f} | {g['bad']}")
