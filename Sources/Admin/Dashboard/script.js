"use strict";
// The page is complete without this script. It puts newer figures in the place of older ones, as text only; shows live
// requests; asks for explanations and purges.
(() => {
  const $ = (id) => document.getElementById(id);
  const svgNames = "http://www.w3.org/2000/svg";
  const outcomes = new Set(["hit", "composed", "stale", "revalidated", "collapsed", "miss", "stale-if-error", "bypass", "failed", "refused"]);
  /** Meanings of the outcomes, from the table of outcomes. */
  const meanings = new Map();

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  /** A small drawing of one rectangle. */
  function drawing(attributes, rectangle) {
    const svg = document.createElementNS(svgNames, "svg");
    const rect = document.createElementNS(svgNames, "rect");
    for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
    for (const [key, value] of Object.entries(rectangle)) rect.setAttribute(key, value);
    svg.setAttribute("aria-hidden", "true");
    svg.append(rect);
    return svg;
  }

  // Cells, as `Cell` in Swift writes them: a text, or an object with one member that says how it looks.
  function fill(place, cell) {
    if (typeof cell === "string") {
      place.textContent = cell;
      // A text that may be cut is whole in its title.
      if (place.className === "w") place.title = cell;
    } else if ("outcome" in cell) {
      if (outcomes.has(cell.outcome)) {
        place.append(drawing({ class: "swatch" }, { width: 12, height: 12, fill: `url(#p-${cell.outcome})` }));
      }
      place.append(element("span", cell.outcome, { title: cell.title ?? meanings.get(cell.outcome) ?? "" }));
    } else if ("explain" in cell) {
      place.append(element("a", cell.explain, { href: "/?explain=" + encodeURIComponent(cell.explain) + "#explain", title: cell.explain }));
    }
  }

  function row(cells, table) {
    const heads = table.querySelectorAll("thead th");
    const made = element("tr");
    cells.forEach((cell, index) => {
      const place = index === 0 ? element("th", undefined, { scope: "row" }) : element("td");
      if (heads[index]?.className) place.className = heads[index].className;
      fill(place, cell);
      made.append(place);
    });
    return made;
  }

  /** Puts rows in the place of others; nothing is touched that stays the same, so that focus and selection stay too. */
  const shown = new Map();
  function setRows(body, rows) {
    if (body.contains(document.activeElement)) return;
    const before = shown.get(body.id) ?? [];
    const after = rows.map((cells) => JSON.stringify(cells));
    shown.set(body.id, after);
    if (before.length === 0) body.replaceChildren();
    rows.forEach((cells, index) => {
      if (before[index] === after[index]) return;
      const made = row(cells, body.closest("table"));
      if (index < body.rows.length) body.rows[index].replaceWith(made);
      else body.append(made);
    });
    while (body.rows.length > rows.length) body.lastElementChild.remove();
  }

  // MARK: Figures

  let announcedAt = 0;
  let announcedState = "";
  /** For screen readers: twice a minute, and when the state changes. */
  function announce(view) {
    const state = view.texts.readiness + view.texts.reload;
    if (Date.now() - announcedAt < 30000 && (state === announcedState || announcedState === "")) return;
    if (announcedAt > 0) $("announcement").textContent = view.summary;
    announcedAt = Date.now();
    announcedState = state;
  }

  function show(view) {
    for (const [id, text] of Object.entries(view.texts)) if ($(id) && $(id).textContent !== text) $(id).textContent = text;
    for (const [id, state] of Object.entries(view.states)) if ($(id)) $(id).dataset.state = state;
    for (const [cell] of view.tables.outcomes) meanings.set(cell.outcome, cell.title);
    for (const [id, path] of Object.entries(view.paths)) $(id)?.setAttribute("d", path);
    for (const [id, rows] of Object.entries(view.tables)) if ($(id)) setRows($(id), rows);
    $("feed").textContent = "live";
    $("feed").dataset.state = "plain";
    announce(view);
  }

  // MARK: Live requests

  const mostKept = 500;
  const mostShown = 200;
  let kept = [];
  let isPaused = false;
  let skipped = 0;

  const seconds = (us) => us < 1000 ? us + " µs" : us < 1e6 ? (us / 1000).toFixed(1) + " ms" : (us / 1e6).toFixed(2) + " s";

  function matches(request) {
    const words = $("tail-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [outcome, client] = [$("tail-outcome").value, $("tail-client").value];
    return (!outcome || request.outcome === outcome) && (!client || nameOf(request) === client)
      && words.every((word) => request.text.includes(word));
  }

  /** The client of a request, as the choice of clients has it. */
  const nameOf = (request) => request.client ?? "without a key";

  const protocolOf = (request) => request.http2 ? "HTTP/2" : "HTTP/1";

  function offer(select, name) {
    if ([...select.options].some((option) => option.value === name)) return;
    select.append(element("option", name, { value: name }));
  }

  function tailRow(request) {
    const time = new Date(request.time * 1000).toISOString().slice(11, 19);
    const cells = [time, String(request.status), { outcome: request.outcome }, request.reason, seconds(request.us),
      String(request.bytes), protocolOf(request), request.method + " " + request.target, request.client ?? ""];
    return row(cells, $("tail").closest("table"));
  }

  function countTail() {
    const parts = [];
    if (isPaused) parts.push("paused");
    if ($("tail-filter").value || $("tail-outcome").value || $("tail-client").value) parts.push(kept.filter(matches).length + " of " + kept.length + " match");
    if (skipped > 0) parts.push(skipped + " not shown: too many at once");
    $("tail-count").textContent = parts.join(", ");
  }

  function take(batch) {
    skipped += batch.skipped;
    const fresh = batch.requests.map((request) => {
      request.text = [request.status, request.outcome, request.reason, protocolOf(request), request.method, request.target,
        request.client ?? ""].join(" ").toLowerCase();
      return request;
    }).reverse();
    kept = fresh.concat(kept).slice(0, mostKept);
    for (const request of fresh) offer($("tail-client"), nameOf(request));
    if (isPaused) return countTail();
    $("tail").prepend(...fresh.filter(matches).slice(0, mostShown).map(tailRow));
    while ($("tail").rows.length > mostShown) $("tail").lastElementChild.remove();
    countTail();
  }

  function redrawTail() {
    $("tail").replaceChildren(...kept.filter(matches).slice(0, mostShown).map(tailRow));
    countTail();
  }

  for (const outcome of outcomes) offer($("tail-outcome"), outcome);
  for (const id of ["tail-filter", "tail-outcome", "tail-client"]) $(id).addEventListener("input", redrawTail);
  $("tail-form").addEventListener("submit", (event) => event.preventDefault());
  $("tail-pause").addEventListener("click", () => {
    isPaused = !isPaused;
    $("tail-pause").setAttribute("aria-pressed", String(isPaused));
    if (isPaused) countTail(); else redrawTail();
  });
  $("tail-clear").addEventListener("click", () => {
    kept = [];
    skipped = 0;
    redrawTail();
  });

  // MARK: The feed

  let source = null;
  let span = document.querySelector(".windows [data-state=chosen]").dataset.window;
  function connect() {
    if (source) return;
    source = new EventSource("/events?view=1&window=" + span);
    source.addEventListener("view", (event) => show(JSON.parse(event.data)));
    source.addEventListener("requests", (event) => take(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      const isOver = source.readyState === EventSource.CLOSED;
      $("feed").textContent = isOver ? "not live: reload the page" : "not live: the proxy does not answer";
      $("feed").dataset.state = "bad";
    });
  }
  function disconnect() {
    source?.close();
    source = null;
  }
  for (const link of document.querySelectorAll(".windows a")) link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    span = link.dataset.window;
    history.replaceState(null, "", link.href);
    disconnect();
    connect();
  });
  // A hidden page costs the proxy nothing.
  document.addEventListener("visibilitychange", () => document.hidden ? disconnect() : connect());
  window.addEventListener("pagehide", disconnect);
  window.addEventListener("pageshow", () => { if (!document.hidden) connect(); });

  // MARK: Explaining

  /** A JSON answer, a row for each value; the server has the same rule. */
  function rowsOf(value, path = "") {
    const name = path.replaceAll("_", " ");
    if (value === null) return [];
    if (typeof value === "boolean") return [[name, value ? "yes" : "no"]];
    if (typeof value !== "object") return [[name, String(value)]];
    if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
      return value.length ? [[name, value.join(", ")]] : [];
    }
    return Object.entries(value).flatMap(([key, one]) => rowsOf(one, path ? path + " " + key : key));
  }

  const words = (error) => error?.errors?.[0]?.detail ?? "The proxy did not answer.";

  async function explain(url) {
    $("explain-url").value = url;
    let rows = [];
    let problem = "";
    try {
      const answer = await fetch("/explain?url=" + encodeURIComponent(url));
      const body = await answer.json();
      if (answer.ok) rows = rowsOf(body); else problem = words(body);
    } catch {
      problem = words();
    }
    $("explain-error").textContent = problem;
    setRows($("explanation"), rows);
  }

  $("explain-form").addEventListener("submit", (event) => {
    event.preventDefault();
    explain($("explain-url").value);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='/?explain=']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    explain(link.textContent);
    $("explain").scrollIntoView();
    $("explain").focus({ preventScroll: true });
  });

  // MARK: Purging

  const form = $("purge-form");
  /** The purge that was counted; only that one is carried out. */
  let counted = null;

  function asked() {
    const wish = {};
    if (form.elements.all.checked) wish.all = true;
    else for (const input of form.querySelectorAll(".fields input")) {
      const text = input.value.trim();
      if (text) wish[input.name] = text;
    }
    if (form.elements.mode.value === "hard") wish.hard = true;
    return wish;
  }

  /** How far a purge reached the other nodes; empty where there are none. */
  function reach(body) {
    if (body.nodes === undefined) return "";
    const missing = body.missing.map((node) => `${node.name} (last seen ${node.last_seen} s ago)`).join(", ");
    const where = body.nodes === null ? " on this node; the other nodes are unknown"
      : ` on ${body.reached} of ${body.nodes} nodes` + (missing && "; missing: " + missing);
    return where + (body.logged ? "" : "; the shared tier is unavailable: the other nodes purge when it is back; repeat the purge then")
      + (body.widened ? "; too many purges wait for it: the other nodes will make all their answers stale" : "");
  }

  async function purge(wish) {
    try {
      const answer = await fetch("/purge", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish),
      });
      const body = await answer.json();
      return answer.ok ? { count: body.purged, reach: reach(body) } : { problem: words(body) };
    } catch {
      return { problem: words() };
    }
  }

  function forget() {
    counted = null;
    $("purge-do").disabled = true;
    $("purge-do").textContent = "Purge";
    $("purge-result").textContent = "";
  }

  const answers = (count) => count === 1 ? "1 answer" : count + " answers";

  form.addEventListener("input", forget);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    forget();
    const wish = asked();
    const { count, problem } = await purge({ ...wish, dry_run: true });
    $("purge-result").textContent = problem ?? answers(count) + " match; nothing is purged yet";
    if (!count) return;
    counted = wish;
    $("purge-do").textContent = wish.hard ? `Remove ${answers(count)}` : `Make ${answers(count)} stale`;
    $("purge-do").disabled = false;
  });
  $("purge-do").addEventListener("click", async () => {
    if (!counted) return;
    const wish = counted;
    $("purge-count").focus();
    forget();
    const { count, reach, problem } = await purge(wish);
    $("purge-result").textContent = problem ?? answers(count) + (wish.hard ? " removed" : " made stale") + reach;
  });

  connect();
})();
