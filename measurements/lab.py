"""Servers, purges and figures that the measurements share. Everything on 127.0.0.1, stopped by its own handle."""
import atexit, contextlib, http.client, json, os, queue, shutil, signal, socket, subprocess, sys, tempfile, threading, time
HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = "/v1/catalog/us/"
_children, _folders = [], []

@atexit.register
def _end():
    for p in reversed(_children): stop(p)
    for d in _folders: shutil.rmtree(d, ignore_errors=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))

def spawn(argv, **o):
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **o})
    _children.append(p)
    return p

def stop(p):
    if p.poll() is None:
        p.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired): p.wait(20)
        if p.poll() is None: p.kill(); p.wait(5)
    if p in _children: _children.remove(p)

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]

def folder():
    _folders.append(tempfile.mkdtemp(prefix="feed-", dir="/dev/shm" if os.environ.get("SHM") else None))
    return _folders[-1]

def listens(port, p, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end and p.poll() is None:
        with contextlib.suppress(OSError): return socket.create_connection(("127.0.0.1", port), 1).close() is None
        time.sleep(0.002)
    raise RuntimeError("does not listen")

class Origin:
    def __init__(self, latency=0, log=False):
        if not os.path.exists(HERE + "/origin"): subprocess.run(["clang", "-O2", "-o", HERE + "/origin", HERE + "/origin.c", "-lpthread"], check=True)
        self.port, self.log = free_port(), folder() + "/targets" if log else None
        self.p = spawn([HERE + "/origin", str(self.port), str(latency)] + ([self.log] if log else []))
        listens(self.port, self.p)
    def stop(self): stop(self.p)
    def seen(self, since):
        """Targets that arrived since that time (milliseconds, monotonic)."""
        with open(self.log) as f: rows = [line.split(" ", 1) for line in f]
        return [t.strip() for ms, t in rows if int(ms) >= since]

class Proxy:
    def __init__(self, binary, origin, extra=""):
        self.binary, self.folder, self.port, self.admin = os.path.abspath(binary), folder(), free_port(), free_port()
        self.conf = self.folder + "/proxy.conf"
        with open(self.folder + "/token", "w") as f: f.write("t\n")
        os.chmod(self.folder + "/token", 0o600)
        with open(self.conf, "w") as f:
            f.write(f"listen 127.0.0.1:{self.port}\nadmin_listen 127.0.0.1:{self.admin}\nupstream http://127.0.0.1:{origin.port}\n"
                    f"access_log off\ncache_file {self.folder}/cache.sqlite\ndeveloper_token_file {self.folder}/token\n{extra}\n")
        self.start()
    def start(self):
        begun = time.monotonic()
        self.log = open(self.folder + "/log", "ab")
        self.p = spawn([self.binary, "serve", "--config", self.conf], stdout=self.log, stderr=self.log, cwd=self.folder)
        listens(self.port, self.p)
        return time.monotonic() - begun
    def stop(self): stop(self.p)
    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
    def rss(self):
        with open(f"/proc/{self.p.pid}/status") as f: return int(next(l for l in f if l.startswith("VmRSS")).split()[1]) / 1024
    def get(self, target, port=None):
        c = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        c.request("GET", target)
        r = c.getresponse()
        with contextlib.closing(c): return r.status, dict(r.getheaders()), r.read()
    def stats(self): return json.loads(self.get("/stats", self.admin)[2])

class Purger:
    """One admin connection."""
    def __init__(self, proxy): self.port, self.c = proxy.admin, None
    def purge(self, timeout=120, **what):
        """Status, milliseconds."""
        body, begun = json.dumps(what), time.monotonic()
        for attempt in (1, 2):
            try:
                if self.c is None: self.c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout); self.c.connect(); self.c.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                begun = time.monotonic()
                self.c.request("POST", "/purge", body, {"Content-Type": "application/json"})
                r = self.c.getresponse(); r.read()
                return r.status, (time.monotonic() - begun) * 1000
            except (OSError, http.client.HTTPException):
                self.c = None
                if attempt == 2: return 0, (time.monotonic() - begun) * 1000

def takes_no_wait(proxy): return Purger(proxy).purge(url="/v1/catalog/us/albums/1", wait=False)[0] < 300

def purge_many(proxy, wants, seconds=150, connections=16):
    """All of them as fast as it takes them; how many it answered with 2xx, and the seconds."""
    wants, done, lock, begun = iter(wants), [0], threading.Lock(), time.monotonic()
    def work():
        purger = Purger(proxy)
        while time.monotonic() - begun < seconds:
            with lock: want = next(wants, None)
            if want is None: return
            if 200 <= purger.purge(**want)[0] < 300:
                with lock: done[0] += 1
    threads = [threading.Thread(target=work) for _ in range(connections)]
    for t in threads: t.start()
    for t in threads: t.join()
    return done[0], time.monotonic() - begun

def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * q))] if values else float("nan")

def wrk(port, lua, seconds, connections=32, *arguments):
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", f"{HERE}/{lua}", f"http://127.0.0.1:{port}", "--", *map(str, arguments)], capture_output=True, text=True).stdout
    word = lambda name: next((l.split()[1] for l in out.splitlines() if l.split()[:1] == [name]), "0")
    ms = lambda t: float(t[:-2]) / 1000 if t.endswith("us") else float(t[:-2]) if t.endswith("ms") else float(t.rstrip("s")) * 1000
    bad = [l.strip() for l in out.splitlines() if "Non-2xx" in l or "Socket errors" in l]
    return float(word("Requests/sec:")), ms(word("99%")), bad

def fill(proxy, count, first=100000):
    """Stores `count` albums, and waits until the file has them."""
    w = spawn(["wrk", "-t1", "-c48", "-d170s", "-s", HERE + "/fill.lua", f"http://127.0.0.1:{proxy.port}", "--", str(first), str(count)])
    while w.poll() is None and proxy.stats()["misses"] < count: time.sleep(0.2)
    w.send_signal(signal.SIGINT); w.wait(20); _children.remove(w)
    time.sleep(1.5)
    return proxy.stats()["entries"]

def say(*words):
    line = " ".join(str(w) for w in words)
    print(line, flush=True)
    with open(HERE + "/results.txt", "a") as f: f.write(line + "\n")
