// One run: what was asked, what came of it, and how to have it again.

import { caseColour, palette, swatch } from "./canvas.js";
import { columns, data, details, element, formatNumber, shown } from "./data.js";
import { again } from "./again.js";
import { pathWords, quantities } from "./quantities.js";
import { TimeChart } from "./series.js";
import { timeLines } from "./theory.js";
import { changed, remark, siblings, state } from "./state.js";

const panel = document.getElementById("run");
let opener = null;
let charts = [];

export async function openRun(row, focus = true) {
  if (state.open === null) opener = document.activeElement;
  state.open = row;
  document.body.classList.add("with-run");
  panel.hidden = false;
  remark();
  changed(true);
  let run;
  let others;
  try {
    run = await details(row);
    others = await Promise.all(
      siblings(row)
        .filter((other) => other !== row)
        .map(async (other) => ({ other, run: await details(other) })),
    );
  } catch (error) {
    const why = `This run's details cannot be unpacked (${error.message}); it takes Chromium 80, Firefox 113, Safari 16.4 or later, and a file that is whole.`;
    panel.replaceChildren(
      runHead(row, data.verdicts[data.verdict[row]]),
      element("p", { class: "bad" }, why),
    );
    return;
  }
  if (state.open !== row) return;
  showRun(row, run, others);
  panel.scrollTop = 0;
  if (focus) panel.focus({ preventScroll: true });
}

export function closeRun() {
  if (state.open === null) return;
  state.open = null;
  panel.hidden = true;
  charts = [];
  document.body.classList.remove("with-run");
  remark();
  changed(true);
  if (opener?.isConnected) opener.focus({ preventScroll: true });
}

function showRun(row, run, others) {
  charts = [];
  const verdict = data.verdicts[data.verdict[row]];
  panel.replaceChildren(
    runHead(row, verdict),
    otherCases(row),
    ...(verdict === "ok" ? [] : [trouble(row, run)]),
    markBoxes(run),
    section("Goodput over time", (host) => goodputChart(host, row, run, others), "Mbit/s"),
    ...(run.traces || []).map((trace) =>
      section(trace.name, (host) => traceChart(host, trace, run), trace.unit),
    ),
    ...(run.packets
      ? [
          section(
            "Packets: position in the stream over time",
            (host) => packetChart(host, run.packets),
            run.packets.unit,
          ),
        ]
      : []),
    ...(run.marks?.length ? [section("Events", (host) => host.append(eventList(run)))] : []),
    section("Measured", (host) => host.append(...measured(row))),
    section("Asked", (host) => host.append(...asked(run))),
    section("Programs", (host) => host.append(...programs(run))),
    section("Again", (host) => host.append(...again(row))),
    ...(run.unreadable
      ? [
          section("Could not be read", (host) =>
            host.append(
              element(
                "ul",
                { class: "bad" },
                ...run.unreadable.map((line) => element("li", {}, line)),
              ),
            ),
          ),
        ]
      : []),
  );
  for (const chart of charts) chart.draw();
}

function section(title, fill, unit = "") {
  const soft = unit ? [element("span", { class: "soft" }, ` [${unit}]`)] : [];
  const host = element("section", {}, element("h3", {}, title, ...soft));
  fill(host);
  return host;
}

function runHead(row, verdict) {
  const button = (text, name, act) =>
    element("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
  const several = data.campaigns.length > 1 ? [data.campaigns[data.campaign[row]].name] : [];
  const repetition =
    new Set(data.repetition).size > 1 ? [`repetition ${data.repetition[row]}`] : [];
  return element(
    "div",
    { class: "run-head" },
    element(
      "div",
      { class: "run-tools" },
      button("‹", "Run before, of those picked", () => step(-1)),
      button("›", "Next run, of those picked", () => step(1)),
      button("×", "Close (Escape)", closeRun),
    ),
    element(
      "h2",
      {},
      swatch(data.case[row]),
      data.cases[data.case[row]].name,
      element("span", { class: `badge ${verdict}` }, verdict),
    ),
    element(
      "p",
      { class: "soft" },
      [
        ...several,
        `design point ${data.point[row]}`,
        ...repetition,
        data.cases[data.case[row]].what,
      ]
        .filter(Boolean)
        .join(" · "),
    ),
  );
}

// The run before or after in the table's order.
function step(by) {
  const { order } = state;
  if (!order.length) return;
  const now = order.indexOf(state.open);
  openRun(order[(now + by + order.length) % order.length], false);
}

function otherCases(row) {
  const goodput = columns.get("goodput_mbps");
  return element(
    "div",
    { class: "siblings", role: "group", "aria-label": "Cases at this design point" },
    ...siblings(row).map((other) =>
      element(
        "button",
        {
          type: "button",
          "aria-current": other === row ? "true" : false,
          onclick: () => openRun(other, false),
        },
        swatch(data.case[other]),
        data.cases[data.case[other]].name,
        element("span", { class: "n" }, goodput ? shown(goodput.v[other], goodput.unit, 3) : ""),
      ),
    ),
  );
}

function trouble(row, run) {
  return element(
    "section",
    { class: "trouble" },
    element("p", {}, data.reason[row] || "no reason given"),
    run.console?.length
      ? element("pre", { "aria-label": "Last lines of the console" }, run.console.join("\n"))
      : null,
  );
}

// Kinds of events that the user has unticked, for all runs.
const unticked = new Set();

const markColour = (kind) =>
  ({
    join: palette.ink,
    recovered: palette.series[2],
    backup: palette.series[4],
    fallback: palette.series[7],
  })[kind] ?? palette.bad;

const marksOf = (run) => () =>
  (run.marks ?? [])
    .filter(({ kind }) => !unticked.has(kind))
    .map((mark) => ({ ...mark, colour: markColour(mark.kind) }));

// A box for each kind of event that the run has.
function markBoxes(run) {
  const kinds = [...new Set((run.marks ?? []).map(({ kind }) => kind))];
  if (!kinds.length) return "";
  const boxes = kinds.map((kind) => {
    const box = element("input", {
      type: "checkbox",
      onchange: () => {
        if (box.checked) unticked.delete(kind);
        else unticked.add(kind);
        for (const chart of charts) chart.draw();
      },
    });
    box.checked = !unticked.has(kind);
    const mark = element("i", { style: `--colour:${markColour(kind)}` });
    return element("label", {}, box, mark, ` ${kind} `);
  });
  const label = "Events that the charts mark";
  return element("div", { class: "key", role: "group", "aria-label": label }, "Events: ", ...boxes);
}

// All events of the run's connections, in the order of time.
function eventList(run) {
  return element(
    "dl",
    { class: "events" },
    ...run.marks.map(({ t, kind, what }) =>
      element("div", {}, element("dt", {}, seconds(t)), element("dd", {}, `${kind}: ${what}`)),
    ),
  );
}

function goodputChart(host, row, run, others) {
  const line = (of, series, faint) => ({
    name: `${data.cases[data.case[of]].name}${series.several ? `, ${series.name}` : ""}`,
    colour: caseColour(data.case[of]),
    from: series.begin,
    t: series.end,
    v: series.mbps,
    faint,
    dash: series.number ? [5, 3] : null,
  });
  const all = (of, { series }, faint) =>
    series.map((s) => line(of, { ...s, several: series.length > 1 }, faint));
  const lines = [
    ...all(row, run, false),
    ...others.flatMap(({ other, run: its }) => all(other, its, true)),
    ...timeLines(run.theory?.goodput),
  ];
  if (!run.series.length) {
    host.append(element("p", { class: "soft" }, "This run left no report with intervals."));
    return;
  }
  const levels = capacityLevels(run);
  const said = levels
    .map(({ value, name, steps = [] }) => {
      const least = Math.min(value, ...steps.map(([, mbps]) => mbps));
      const from = least < value ? `${shown(least, "Mbit/s", 4)} to ` : "";
      return `, ${name} ${from}${shown(value, "Mbit/s", 4)}`;
    })
    .join("");
  charts.push(
    new TimeChart(host, {
      lines,
      unit: "Mbit/s",
      levels,
      marks: marksOf(run),
      label: `Goodput at the receiver over time, ${data.cases[data.case[row]].name}${said}`,
    }),
  );
}

// Where each path is a link of the user's own, of those that the transport may use,
// together; otherwise of each link, those of one capacity together.
function capacityLevels(run) {
  const named = Object.entries(run.parameters).flatMap(([key, value]) => {
    const link = /^(.+)\.capacity_mbps$/.exec(key);
    return link ? [[link[1], value]] : [];
  });
  const paths = run.paths ?? [];
  if (named.length && named.every(([link]) => paths.includes(link))) {
    const path = run.transport.protocol === "tcp" ? run.transport.path : null;
    const used = path ? named.filter(([link]) => link === paths[path - 1]) : named;
    const steps = capacitySteps(used, run.capacities ?? {});
    const value = Math.max(...steps.map(([, mbps]) => mbps));
    return value > 0 ? [{ value, name: "capacity", steps }] : [];
  }
  const levels = new Map();
  for (const [link, value] of named) levels.set(value, [...(levels.get(value) ?? []), link]);
  return [...levels].map(([value, links]) => ({ value, name: `capacity of ${links.join(", ")}` }));
}

// The capacity of links together from each time on, at which one of them changes.
function capacitySteps(links, changing) {
  const own = links.map(([link, value]) => changing[link] ?? [[0, value]]);
  const times = [...new Set(own.flatMap((steps) => steps.map(([time]) => time)))];
  return times
    .sort((a, b) => a - b)
    .map((time) => [
      time,
      own.reduce((sum, steps) => sum + (steps.filter(([at]) => at <= time).pop()?.[1] ?? 0), 0),
    ]);
}

function traceChart(host, trace, run) {
  const lines = trace.lines.map((line, number) => ({
    ...line,
    colour: palette.series[number % palette.series.length],
  }));
  lines.push(...timeLines(run.theory?.[trace.quantity]));
  charts.push(
    new TimeChart(host, {
      lines,
      unit: trace.unit,
      marks: marksOf(run),
      label: `${trace.name} by subflow over time`,
    }),
  );
}

function packetChart(host, packets) {
  const lines = packets.lines.map((line, number) => ({
    ...line,
    dots: true,
    size: line.again ? 2.6 : 1.6,
    colour: line.again
      ? line.name === "reinjected"
        ? palette.ink
        : palette.bad
      : palette.series[number % palette.series.length],
  }));
  charts.push(
    new TimeChart(host, {
      lines,
      unit: packets.unit,
      height: 240,
      label: "Position in the stream of each packet with data, over time",
    }),
  );
  if (packets.note) host.append(element("p", { class: "soft" }, packets.note));
}

function measured(row) {
  const known = data.columns.filter((column) => column.role === "metric" && column.v[row] !== null);
  const absent = (data.absent?.[row] ?? "").split("; ").filter(Boolean);
  return [
    ...quantities(known.map((column) => [column.key, column.v[row], column])).reverse(),
    absent.length
      ? element(
          "details",
          { class: "absent" },
          element("summary", {}, "Metrics that this run lacks, and why"),
          element("ul", { class: "soft" }, ...absent.map((line) => element("li", {}, line))),
        )
      : "",
  ];
}

function asked(run) {
  const { sysctls = {}, ...transport } = run.transport;
  const path = run.paths?.[transport.path - 1];
  const words = [
    ...Object.entries({ ...transport, path: path ? pathWords(path) : transport.path }),
    ...Object.entries(sysctls),
    ["topology", run.topology],
    ["seed", run.seed],
  ];
  return quantities([...Object.entries(run.parameters), ...words]);
}

function programs(run) {
  if (!run.programs.length) {
    return [element("p", { class: "soft" }, "No program is known to have run.")];
  }
  return run.programs.map((program) =>
    element(
      "div",
      { class: "program" },
      element("pre", {}, element("b", {}, `${program.host}$ `), program.command),
      element(
        "p",
        { class: "soft" },
        `${seconds(program.start_s)} to ${seconds(program.end_s)}, `,
        element(
          "span",
          { class: program.exit_code === 0 ? "" : "bad" },
          program.exit_code === null ? "did not end" : `exit status ${program.exit_code}`,
        ),
      ),
    ),
  );
}

const seconds = (value) =>
  value === null || value === undefined
    ? "–"
    : `${formatNumber(Math.round(value * 1e3) / 1e3, 7)} s`;
