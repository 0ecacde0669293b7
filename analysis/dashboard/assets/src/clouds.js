// Two metrics against each other: an ellipse and a large mark per case, as in the report.

import { caseColour, caseShape, mark, palette } from "./canvas.js";
import { data, isOk } from "./data.js";

const LEAST = 5; // Networks below which there is no ellipse.
const STYLES = [[], [6, 3], [1.5, 2.5], [7, 3, 1.5, 3]];

// The networks of a case, repetitions averaged: `seen` has { row, px, py }.
function networks(seen, number) {
  const places = new Map();
  for (const { row, px, py } of seen) {
    if (data.case[row] !== number || !isOk(row)) continue;
    const key = `${data.campaign[row]}/${data.point[row]}`;
    const [x, y, n] = places.get(key) ?? [0, 0, 0];
    places.set(key, [x + px, y + py, n + 1]);
  }
  return [...places.values()].map(([x, y, n]) => [x / n, y / n]);
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

function median(values) {
  const order = [...values].sort((a, b) => a - b);
  const middle = order.length >> 1;
  return order.length % 2 ? order[middle] : (order[middle - 1] + order[middle]) / 2;
}

// Centre, half axes and turn of the ellipse of one standard deviation. Places on the
// screen are linear in what an axis shows, so they give the ellipse of the values.
export function ellipse(points) {
  if (points.length < LEAST) return null;
  const [x, y] = [0, 1].map((k) => mean(points.map((point) => point[k])));
  let [xx, xy, yy] = [0, 0, 0];
  for (const [px, py] of points) {
    xx += (px - x) ** 2;
    xy += (px - x) * (py - y);
    yy += (py - y) ** 2;
  }
  [xx, xy, yy] = [xx, xy, yy].map((sum) => sum / (points.length - 1));
  const apart = Math.hypot((xx - yy) / 2, xy);
  const [long, short] = [(xx + yy) / 2 + apart, (xx + yy) / 2 - apart];
  if (long <= 0) return null;
  const turn = Math.atan2(2 * xy, xx - yy) / 2;
  return { x, y, long: Math.sqrt(long), short: Math.sqrt(Math.max(short, 0)), turn };
}

export function clouds(context, seen) {
  data.cases.forEach((_, number) => {
    const points = networks(seen, number);
    if (!points.length) return;
    context.strokeStyle = context.fillStyle = caseColour(number);
    const round = ellipse(points);
    if (round) {
      context.lineWidth = 1.3;
      context.setLineDash(STYLES[(number + (number >> 3)) % STYLES.length]);
      context.beginPath();
      context.ellipse(round.x, round.y, round.long, round.short, round.turn, 0, 2 * Math.PI);
      context.stroke();
      context.setLineDash([]);
    }
    context.beginPath();
    const middle = [0, 1].map((k) => median(points.map((point) => point[k])));
    mark(context, caseShape(number), ...middle, 6.5);
    context.fill();
    context.strokeStyle = palette.paper;
    context.lineWidth = 1;
    context.stroke();
  });
}
