// Choices among columns and cases, and short texts on a canvas.

import { palette } from "./canvas.js";
import { columns, data, element, full } from "./data.js";

// A choice among the columns, in groups.
export function chooser(chosen, name, change, wanted = () => true, first = null) {
  const select = element("select", { "aria-label": name });
  if (first) select.append(element("option", { value: "" }, first));
  select.append(...columnGroups(wanted));
  select.value = chosen || "";
  select.addEventListener("change", () => change(select.value));
  return select;
}

// A choice among what runs can be grouped by: `ways`, and all factors.
export function wayChooser(chosen, name, change, ways) {
  const select = element("select", { "aria-label": name });
  for (const way of ways) select.append(element("option", { value: way.key }, way.name));
  select.append(...columnGroups(({ role }) => role !== "metric"));
  select.value = chosen;
  select.addEventListener("change", () => change(select.value));
  return select;
}

// A choice of the case that others are compared with, or of none; change(number or null).
export function caseChooser(chosen, name, change) {
  const select = element("select", { "aria-label": name });
  select.append(element("option", { value: "" }, "as measured"));
  data.cases.forEach((one, number) => {
    select.append(element("option", { value: number }, `less that of ${one.name}`));
  });
  select.value = chosen === null ? "" : String(chosen);
  select.addEventListener("change", () =>
    change(select.value === "" ? null : Number(select.value)),
  );
  return select;
}

function columnGroups(wanted) {
  return [
    ["metric", "Metrics"],
    ["factor", "Factors"],
    ["derived", `Differences, ${(data.paths ?? []).join(" less ")}`],
  ].flatMap(([role, title]) => {
    const group = element("optgroup", { label: title });
    for (const column of data.columns) {
      const kind = column.role === "word" ? "factor" : column.role;
      if (kind === role && wanted(column)) {
        group.append(element("option", { value: column.key }, full(column)));
      }
    }
    return group.children.length ? [group] : [];
  });
}

export function note(context, width, height, text) {
  context.fillStyle = palette.soft;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, width / 2, height / 2);
}

// The text, or as much of it as fits into so many pixels.
export function clip(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && context.measureText(`${short}…`).width > width) {
    short = short.slice(0, -1);
  }
  return `${short}…`;
}

// The lines of a name that is too long for so many pixels: a range breaks at its dash.
export function folded(context, text, width) {
  const at = text.indexOf("–") + 1;
  const fits = context.measureText(text).width <= width;
  const parts = fits || at < 2 ? [text] : [text.slice(0, at), text.slice(at)];
  return parts.map((part) => clip(context, part, width));
}

// A key of an address, if it is that of a column for which `wanted` holds.
export function keyIn(address, name, start, wanted = () => true) {
  const column = columns.get(address.get(name));
  return column && wanted(column) ? column.key : start;
}
