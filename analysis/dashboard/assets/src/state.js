// What is chosen, and which rows it leaves.
import { columns, data, rows } from "./data.js";

export const state = {
  cases: new Set(data.cases.map((_, number) => number)),
  campaigns: new Set(data.campaigns.map((_, number) => number)),
  verdicts: new Set(data.verdicts.map((_, number) => number)),
  ranges: new Map(), // key of a factor to [low, high]
  values: new Map(), // key of a factor to the set of its values
  brush: null, // { x, y: keys; x0, x1, y0, y1: of the data }
  hover: null, // a row
  open: null, // the row of the run that is shown
  order: [], // the picked rows in the order of the table
};
export const views = [];
export const watchers = []; // called after each change; true: at once
export const filtered = new Uint8Array(data.count); // 1 where a row passes the filters
export const picked = new Uint8Array(data.count); // 1 where it is in the brush too

function passes(row) {
  if (!state.campaigns.has(data.campaign[row])) return 0;
  if (!state.cases.has(data.case[row]) || !state.verdicts.has(data.verdict[row])) return 0;
  for (const [key, [low, high]] of state.ranges) {
    const value = columns.get(key).v[row];
    if (value === null || value < low || value > high) return 0;
  }
  for (const [key, values] of state.values) {
    if (!values.has(columns.get(key).v[row])) return 0;
  }
  return 1;
}

function brushed(row) {
  if (!state.brush) return 1;
  const { x, y, x0, x1, y0, y1 } = state.brush;
  const across = columns.get(x).v[row];
  const up = columns.get(y).v[row];
  if (across === null || up === null) return 0;
  return across >= x0 && across <= x1 && up >= y0 && up <= y1 ? 1 : 0;
}

// Count the rows again, and draw all views of them.
export function refilter() {
  performance.mark("filter-begin");
  for (const row of rows) {
    filtered[row] = passes(row);
    picked[row] = filtered[row] && brushed(row);
  }
  for (const view of views) view.draw();
  performance.measure("filter", "filter-begin");
  changed();
}

export function changed(atOnce = false) {
  for (const watcher of watchers) watcher(atOnce);
}

// The numbers of LOW~HIGH and the like; null where one is missing or none.
export function numbers(words) {
  return words.map((word) => {
    const value = word.trim() === "" ? NaN : Number(word);
    return Number.isFinite(value) ? value : null;
  });
}

// Draw again what marks single runs, when no row comes or goes.
export function remark() {
  for (const view of views) if (view.mark) view.mark();
}

export function hover(row) {
  if (row === state.hover) return;
  state.hover = row;
  remark();
}

export function somethingIsLeftOut() {
  return (
    state.brush !== null ||
    state.cases.size < data.cases.length ||
    state.campaigns.size < data.campaigns.length ||
    state.verdicts.size < data.verdicts.length ||
    state.ranges.size > 0 ||
    state.values.size > 0
  );
}

export function reset() {
  for (const number of data.cases.keys()) state.cases.add(number);
  for (const number of data.campaigns.keys()) state.campaigns.add(number);
  for (const number of data.verdicts.keys()) state.verdicts.add(number);
  state.ranges.clear();
  state.values.clear();
  state.brush = null;
  for (const view of views) if (view.sync) view.sync();
  refilter();
}

// Rows that share a network and a seed: same campaign, design point and repetition.
const byPoint = new Map();
for (const row of rows) {
  const key = pointKey(row);
  if (!byPoint.has(key)) byPoint.set(key, []);
  byPoint.get(key).push(row);
}

export function networkKey(row) {
  return `${data.campaign[row]}/${data.point[row]}`;
}

function pointKey(row) {
  return `${data.campaign[row]}/${data.point[row]}/${data.repetition[row]}`;
}

export function siblings(row) {
  return byPoint.get(pointKey(row));
}
