// What is chosen, in the fragment of the page's address, so that it can be sent.
//
// run=ID  the run that is open            case=, campaign=, verdict=NAME  if not all
// in=FACTOR~LOW~HIGH  a range             of=FACTOR~VALUE~...      values that are shown
// x1=, y1=, x2=, y2=  axes, log=x1 log    pick=PLOT~X0~X1~Y0~Y1    picked points
// linear=x1  not log as the values ask    whole=1  a plot with its outliers
// panels=heat, panel_x=, heat_x=, line_first= ...  what the panels show
// metric=, by=, draw=cdf  distribution    sort=COLUMN, sort=-COLUMN  the table
//
// An address may come from anybody: what does not fit the data is left out.

import { data } from "./data.js";
import { closeRun, openRun } from "./run.js";
import { refilter, state, views, watchers } from "./state.js";

const MOST = 20000; // Characters of a fragment that are read.
const SETTLED_MS = 400; // A drag of a range makes one step of the history.

let reading = false;
let timer = 0;

function parameters() {
  const fragment = location.hash.slice(1);
  return new URLSearchParams(fragment.length > MOST ? "" : fragment);
}

function save() {
  clearTimeout(timer);
  const chosen = new URLSearchParams();
  if (state.open !== null) chosen.set("run", data.id[state.open]);
  for (const view of views) if (view.toAddress) view.toAddress(chosen);
  const text = chosen.toString();
  if (text === location.hash.slice(1)) return;
  history.pushState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function changed(atOnce) {
  if (reading) return;
  clearTimeout(timer);
  if (atOnce) save();
  else timer = setTimeout(save, SETTLED_MS);
}

// Choose what the address says, and all that it does not name as at the beginning.
export function read(focus = false) {
  clearTimeout(timer);
  const chosen = parameters();
  reading = true;
  try {
    state.brush = null;
    for (const view of views) if (view.fromAddress) view.fromAddress(chosen);
    refilter();
    const row = data.id.indexOf(chosen.get("run"));
    if (row < 0) closeRun();
    else if (row !== state.open) openRun(row, focus);
  } finally {
    reading = false;
  }
}

watchers.push(changed);
addEventListener("popstate", () => read());
