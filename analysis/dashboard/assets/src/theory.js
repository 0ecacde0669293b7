// What models say beside measurement: dashed lines and hollow diamonds.

import { caseColour, mark, palette } from "./canvas.js";
import { data, element } from "./data.js";

const DASHES = [
  [6, 3],
  [7, 3, 1.5, 3],
  [1.5, 2.5],
  [11, 4],
];
const SHAPES = ["diamond", "square", "triangle", "down"];
const dashes = (number) => DASHES[number % DASHES.length];

const models = [...new Set(data.theory.map((curve) => modelOf(curve)))];

// The name without the case, which a curve has if it is of one case only.
function modelOf({ name, case: number }) {
  return number === null ? name : name.slice(name.indexOf(": ") + 2);
}

export const ofColumn = (column) => data.theory.filter((curve) => curve.column === column.key);

export const curveColour = (curve) => (curve.case === null ? palette.ink : caseColour(curve.case));

export const curveDashes = (curve) => dashes(models.indexOf(modelOf(curve)));

// A mark of theory: hollow, so that measured marks stay in sight.
export function hollow(context, curve, x, y) {
  context.strokeStyle = curveColour(curve);
  context.lineWidth = 1.2;
  context.beginPath();
  mark(context, SHAPES[models.indexOf(modelOf(curve)) % SHAPES.length], x, y, 4);
  context.stroke();
}

// What the curves of a column are, for below a plot.
export function keyOf(column) {
  return ofColumn(column).map((curve) => {
    const canvas = element("canvas", { class: "swatch", "aria-hidden": "true" });
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [26 * ratio, 14 * ratio];
    canvas.style.width = "26px";
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.strokeStyle = curveColour(curve);
    context.setLineDash(curveDashes(curve));
    context.beginPath();
    context.moveTo(0, 7);
    context.lineTo(26, 7);
    context.stroke();
    context.setLineDash([]);
    hollow(context, curve, 13, 7);
    return element("span", {}, canvas, curve.name);
  });
}

// The column's range with all that theory says about it.
export function widened(column) {
  let { low, high } = column;
  for (const curve of ofColumn(column)) {
    for (const value of curve.v) {
      if (value === null) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return { ...column, low, high };
}

// The lines of one run over time, for a chart.
export const timeLines = (lines = []) =>
  lines.map((line) => ({ ...line, colour: palette.ink, dash: dashes(line.model), thin: true }));
