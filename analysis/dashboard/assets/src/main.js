// Puts the parts in place, and keeps them in step with theme, keys and address.

import { read } from "./address.js";
import { readTheme } from "./canvas.js";
import { data, element, isOk, many, rows } from "./data.js";
import { makeFilters } from "./filters.js";
import { closeRun, openRun } from "./run.js";
import { Panels } from "./panels.js";
import { Scatter } from "./scatter.js";
import { Spread } from "./spread.js";
import { picked, networkKey, refilter, reset, somethingIsLeftOut, state, views } from "./state.js";
import { Runs } from "./table.js";

const count = document.getElementById("count");
const resetButton = document.getElementById("reset");
document.getElementById("title").textContent = data.title;
document.documentElement.lang = "en";

const themes = ["auto", "light", "dark"];
const themeButton = document.getElementById("theme");

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  themeButton.dataset.now = name;
  themeButton.title = `Colours: ${name === "auto" ? "as the system has them" : name}`;
  readTheme();
}

function redraw() {
  readTheme();
  for (const view of views) {
    if (view.theme) view.theme();
    view.draw();
  }
  if (state.open !== null) openRun(state.open, false);
}

themeButton.addEventListener("click", () => {
  const dark =
    getComputedStyle(document.documentElement).getPropertyValue("--scheme").trim() === "dark";
  setTheme(dark ? "light" : "dark");
  redraw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

setTheme(themes[0]);
makeFilters();
new Scatter(document.getElementById("scatter1"), 1, data.start.x1, data.start.y1);
new Scatter(document.getElementById("scatter2"), 2, data.start.x2, data.start.y2);
new Spread(document.getElementById("spread"));
new Panels(document.getElementById("panels"));
new Runs(document.getElementById("runs"));

views.push({
  draw() {
    const shownRows = rows.filter((row) => picked[row]);
    const points = new Set(shownRows.map(networkKey)).size;
    const bad = shownRows.filter((row) => !isOk(row)).length;
    const words = [
      shownRows.length === data.count
        ? many(data.count, "run")
        : `${shownRows.length} of ${many(data.count, "run")}`,
      many(points, "network"),
      bad ? `${bad} not ok` : "all ok",
    ];
    count.textContent = shownRows.length ? words.join(" · ") : `none of ${many(data.count, "run")}`;
    resetButton.disabled = !somethingIsLeftOut();
  },
});
resetButton.addEventListener("click", reset);

const stateLines = data.campaigns.flatMap(({ name, state: lines }) =>
  lines.map((line) => (data.campaigns.length > 1 ? `${name}: ${line}` : line)),
);
if (stateLines.length) {
  const host = document.getElementById("state");
  host.hidden = false;
  host.append(...stateLines.map((line) => element("p", {}, line.replaceAll("`", ""))));
}

const made = document.getElementById("made");
for (const campaign of data.campaigns) {
  const words = Object.entries(campaign.made);
  if (!words.length) continue;
  made.append(
    element(
      "details",
      {},
      element("summary", {}, `How ${campaign.name} was made`),
      element(
        "dl",
        {},
        ...words.map(([name, value]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, value)),
        ),
      ),
    ),
  );
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (state.open !== null) closeRun();
  else if (state.brush) {
    state.brush = null;
    refilter();
  }
});

// Narrow windows begin with the filters folded away.
if (matchMedia("(max-width: 900px)").matches) document.getElementById("filters").open = false;
matchMedia("(max-width: 900px)").addEventListener("change", (event) => {
  document.getElementById("filters").open = !event.matches;
});

read(true);
performance.mark("drawn");
