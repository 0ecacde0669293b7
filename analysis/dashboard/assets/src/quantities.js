// Numbers of a run with their units: a list, and a table of the network's parts.

import { element, shown } from "./data.js";

// A table with a column per part has at most so many.
const SIDE_BY_SIDE = 4;

// `path 1` for `path1`; other names as they are.
export const pathWords = (name) => name.replace(/^path(\d+)$/, "path $1");

// What has a path, or another part of the network, side by side; all else as a list.
// entries : [key, value], and the key's column if it has one
export function quantities(entries) {
  const heads = new Map();
  const names = new Map();
  const rest = [];
  for (const [key, value, column] of entries) {
    if (value === null || value === undefined || value === "") continue;
    const cut = key.startsWith("net.") ? -1 : key.lastIndexOf(".");
    const [what, unit] = withUnit(key.slice(cut + 1));
    if (cut < 0) {
      rest.push([column ? column.label : what, value, column ? column.unit : unit]);
      continue;
    }
    const head = pathWords(key.slice(0, cut));
    if (!heads.has(head)) heads.set(head, {});
    heads.get(head)[what] = value;
    names.set(what, what === "bytes" ? "bytes" : unit);
  }
  const text = (value, unit) => (typeof value === "number" ? shown(value, unit, 5) : String(value));
  const list = element(
    "dl",
    {},
    ...rest.map(([what, value, unit]) =>
      element("div", {}, element("dt", {}, what), element("dd", {}, text(value, unit))),
    ),
  );
  if (!heads.size) return [list];
  const parts = [...heads.keys()].sort();
  const made = parts.length > SIDE_BY_SIDE ? below : beside;
  const table = made(parts, [...names.keys()], (part, what) => {
    const value = heads.get(part)[what];
    return value === undefined ? "" : text(value, names.get(what));
  });
  return [element("div", { class: "wide" }, table), list];
}

// A column for each part: paths, links.
function beside(parts, names, of) {
  return element(
    "table",
    { class: "paths" },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("td", {}),
        ...parts.map((part) => element("th", { scope: "col" }, part)),
      ),
    ),
    element(
      "tbody",
      {},
      ...names.map((what) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, what),
          ...parts.map((part) => element("td", { class: "n" }, of(part, what))),
        ),
      ),
    ),
  );
}

// Of many parts, such as a phase's, each below the other with what it has.
function below(parts, names, of) {
  return element(
    "table",
    { class: "paths" },
    ...parts.map((part) =>
      element(
        "tbody",
        {},
        element("tr", {}, element("th", { scope: "rowgroup", colspan: 2, class: "part" }, part)),
        ...names
          .filter((what) => of(part, what))
          .map((what) =>
            element(
              "tr",
              {},
              element("th", { scope: "row" }, what),
              element("td", { class: "n" }, of(part, what)),
            ),
          ),
      ),
    ),
  );
}

function withUnit(key) {
  const units = {
    mbps: "Mbit/s",
    ms: "ms",
    s: "s",
    percent: "%",
    packets: "packets",
    bytes: "bytes",
  };
  const cut = key.lastIndexOf("_");
  const unit = units[key.slice(cut + 1)];
  return unit && cut > 0
    ? [key.slice(0, cut).replaceAll("_", " "), unit]
    : [key.replaceAll("_", " "), ""];
}
