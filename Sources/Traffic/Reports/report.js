"use strict";
// Shows the report whose JSON is in the page. Texts are put in as text only, so no recording can write markup.
(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const none = "–";

  function element(name, style, ...content) {
    const made = document.createElement(name);
    if (style) made.className = style;
    made.append(...content);
    return made;
  }

  function drawing(name, attributes, ...content) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }

  const lines = (texts) => texts.map((text) => element("p", "", text));
  const section = (title, wide, ...content) => element("section", wide ? "wide" : "", element("h2", "", title), ...content);
  const note = (text) => (text ? [element("p", "note", text)] : []);

  /** The first column names its row. A table that scrolls can be reached by the keyboard, and has a name. */
  function table({ title, head, rows, numbers }, style = "") {
    const made = element("table", numbers ? "numbers" : "texts", element("caption", "unseen", title));
    made.createTHead().append(element("tr", "", ...head.map((text) => cell("th", "col", text))));
    made.createTBody().append(
      ...rows.map((row) => element("tr", "", ...row.map((text, index) => (index ? element("td", "", text) : cell("th", "row", text))))));
    const scroll = element("div", "scroll " + style, made);
    for (const [key, value] of [["role", "region"], ["aria-label", title], ["tabindex", 0]]) scroll.setAttribute(key, value);
    return scroll;
  }

  function cell(name, scope, text) {
    const made = element(name, "", text);
    made.scope = scope;
    return made;
  }

  // Figures, with three digits at most.
  const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
  const amount = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
  const count = new Intl.NumberFormat("en");

  function time(nanoseconds) {
    if (nanoseconds === null) return none;
    const [unit, size] = [["ns", 1], ["µs", 1e3], ["ms", 1e6]].find(([, size]) => nanoseconds < size * 999.5) ?? ["s", 1e9];
    return digits.format(nanoseconds / size) + " " + unit;
  }

  /** `0:30`, `1:00:00`; `0.5 s` and `20 ms` where steps are that short. */
  function clock(seconds, step = 1) {
    if (step < 0.1) return digits.format(seconds * 1000) + " ms";
    if (step < 1) return digits.format(seconds) + " s";
    const whole = Math.round(seconds), two = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    return (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(whole % 60);
  }

  // Scales: where a value is, from 0 to 1, and the labels.

  function amounts(values) {
    const highest = Math.max(...values) || 1, exact = highest / 5, magnitude = 10 ** Math.floor(Math.log10(exact));
    const step = [1, 2, 2.5, 5, 10].find((size) => size * magnitude >= exact * (1 - 1e-9)) * magnitude;
    const steps = Math.ceil(highest / step - 1e-9);
    const ticks = Array.from({ length: steps + 1 }, (_, index) => [step * index, amount.format(step * index)]);
    return { place: (value) => value / (step * steps), ticks };
  }

  /** Logarithmic, from and to a 1, 2 or 5 of a power of ten. A histogram holds nanoseconds below 10^13. */
  function latencies(values) {
    const all = Array.from({ length: 14 }, (_, exponent) => [1, 2, 5].map((size) => size * 10 ** exponent)).flat();
    const lowest = all.findLast((tick) => tick <= Math.max(1, Math.min(...values)));
    const highest = all.find((tick) => tick > lowest && tick >= Math.max(...values)) ?? 1e13;
    const isWide = highest / lowest > 999;
    const shown = all.filter((tick) => tick >= lowest && tick <= highest && (!isWide || String(tick)[0] === "1"));
    return {
      place: (value) => Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest),
      ticks: shown.map((tick) => [tick, time(tick)]),
    };
  }

  function times(end) {
    const round = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
    const step = round.find((size) => end / size <= 6) ?? Math.ceil(end / 6 / 86400) * 86400;
    const ticks = Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, index) => [step * index, clock(step * index, step)]);
    return { place: (value) => value / end, ticks };
  }

  /** Slots in at most `most` columns of equal width, with the highest latencies of each: percentiles cannot be averaged. */
  function columns(most) {
    const { elapsed_seconds: elapsed, slot_seconds: length, slots } = report.timeline;
    const each = Math.ceil(slots.length / most);
    return Array.from({ length: Math.ceil(slots.length / each) }, (_, index) => {
      const part = slots.slice(index * each, (index + 1) * each), from = index * each * length;
      const end = from + part.length * length, to = elapsed > from ? Math.min(end, elapsed) : end;
      // A short last one is too short for rates.
      const column = { from, to, each, isRest: index > 0 && to - from < length / 2 };
      for (const name of ["sent", "answered", "failed", "hits", "misses"]) {
        column[name] = part.reduce((sum, slot) => sum + slot[name], 0);
      }
      for (const name of ["p50_ns", "p99_ns", "max_ns"]) {
        const values = part.map((slot) => slot[name]).filter((value) => value !== undefined);
        column[name] = values.length ? Math.max(...values) : null;
      }
      return column;
    });
  }

  /** Lines over the time of the run, each as [name, style, value of a column]; null is a gap. */
  function plot(description, across, title, parts, scale, series) {
    const drawn = series.map(([name, style, value]) => [name, style, parts.map(value)]);
    const values = drawn.flatMap(([, , values]) => values).filter((value) => value !== null);
    if (!values.length) return element("p", "note", "Nothing was answered.");
    const x = times(parts.at(-1).to), y = scale(values);
    const [right, down] = [(value) => (x.place(value) * 1000).toFixed(2), (value) => ((1 - y.place(value)) * 300).toFixed(2)];
    const paths = drawn.map(([, style, values]) => {
      const data = values.map((value, index) => value === null
        ? "" : `${(values[index - 1] ?? null) === null ? "M" : "L"}${right(parts[index].from)} ${down(value)}H${right(parts[index].to)}`);
      return drawing("path", { class: "line " + style, d: data.join("") });
    });
    const grid = y.ticks.map(([value]) => `M0 ${down(value)}H1000`).concat(x.ticks.map(([value]) => `M${right(value)} 0V300`));
    const labels = (style, side, scale) => {
      const made = element("div", style, ...scale.ticks.map(([value, text]) => {
        const label = element("span", "", text);
        label.style[side] = scale.place(value) * 100 + "%";
        return label;
      }));
      made.ariaHidden = "true";
      return made;
    };
    const keys = drawn.map(([name, style]) => element("span", "key",
      drawing("svg", { width: 24, height: 10, "aria-hidden": "true" }, drawing("path", { class: "line " + style, d: "M0 5H24" })), name));
    return element("figure", "plot", element("figcaption", "", element("span", "", title), ...keys),
      element("div", "frame", labels("y", "bottom", y),
        drawing("svg", { role: "img", viewBox: "0 0 1000 300", preserveAspectRatio: "none" },
          drawing("title", {}, description), drawing("path", { class: "grid", d: grid.join("") }), ...paths),
        labels(x.ticks.length > 4 ? "x many" : "x", "left", x), element("div", "xtitle", across)));
  }

  /** The length of a step, where it is more than a slot. */
  function grain([{ from, to, each }]) {
    return each === 1 ? []
      : note(`Each step is ${digits.format(to - from)} s; for latencies it shows the highest value of each ${digits.format(report.timeline.slot_seconds)} s.`);
  }

  function timeline() {
    const [drawn, written] = [columns(600), columns(60)];
    const rate = (name) => (column) => (column.isRest ? null : column[name] / (column.to - column.from));
    const rates = [["answered", "s-answered", "answered"], ["sent", "s-sent", "sent"], ["hits", "s-hit", "hits"], ["failed", "s-failed", "failed"]]
      .filter(([, , name], index) => index < 2 || drawn.some((column) => column[name] > 0));
    const rows = written.map((column) => [
      clock(column.from), ...["sent", "answered", "failed", "hits", "misses"].map((name) => count.format(column[name])),
      ...["p50_ns", "p99_ns", "max_ns"].map((name) => time(column[name]))]);
    const head = ["from", "sent", "answered", "failed", "hit", "miss", "p50", "p99", "max"];
    return [
      section("Latency over time", true, ...grain(drawn),
        plot("Corrected latency by when requests were due: median, 99th percentile and slowest.", "when requests were due",
          "corrected latency", drawn, latencies,
          [["max", "s-max", (column) => column.max_ns], ["p99", "s-p99", (column) => column.p99_ns], ["p50", "s-p50", (column) => column.p50_ns]])),
      section("Throughput", true,
        plot("Requests a second over time, by what became of them.", "time since the start", "requests a second", drawn, amounts,
          rates.map(([name, style, member]) => [name, style, rate(member)]))),
      section("Over time", true, element("details", "", element("summary", "", "The figures of the plots as a table"),
        ...grain(written), table({ title: "Figures over time", head, rows, numbers: true }, "tall"))),
    ];
  }

  document.title = report.title;
  document.body.append(element("header", "", element("h1", "", report.title), ...lines(report.facts)));
  for (const alarm of report.alarms) {
    const made = element("p", "alarm", alarm);
    made.role = "alert";
    document.body.append(made);
  }
  const figures = report.figures.map(([name, value, note]) =>
    element("div", "", element("dt", "", name), element("dd", "", element("b", "", value), element("span", "", note))));
  const words = { passed: "✓ passed", failed: "✗ failed", unclear: "? unclear" };
  const verdicts = report.verdicts.map(({ state, sentence }) => element("li", state, element("b", "", words[state]), " ", sentence));
  const main = element("main");
  if (figures.length) main.append(element("dl", "figures", ...figures));
  if (verdicts.length) main.append(section("Thresholds", true, element("ul", "verdicts", ...verdicts)));
  if (report.timeline) main.append(...timeline());
  for (const shown of report.tables) {
    main.append(section(shown.title, shown.wide, ...note(shown.note), ...(shown.rows.length ? [table(shown, shown.rows.length > 20 ? "tall" : "")] : [])));
  }
  document.body.append(main, element("footer", "", ...lines(report.notes)));
})();
