// Parallel coordinates: an axis per factor and metric, and a line per run.

import { Scale, tickText } from "./axes.js";
import { caseColour, palette, place } from "./canvas.js";
import { chooser, clip, keyIn, note } from "./choosers.js";
import { columns, data, element, factors, full, isOk, many, rows } from "./data.js";
import { openRun } from "./run.js";
import { scaleOf } from "./scales.js";
import { filtered, hover, picked, state } from "./state.js";
import { hideTip, tipFor } from "./tip.js";

const TALL = 300;
const HEAD = 34;
const FOOT = 14;
const MOST_FACTORS = 8;
const NEAR = 9;

export class Parallel {
  constructor(panels) {
    this.panels = panels;
    this.apart = Math.min(1.4, 10 / data.cases.length);
    this.title = "Lines";
    this.marks = true;
    const varied = factors.filter((column) => column.low !== column.high);
    this.left = Math.max(0, varied.length - MOST_FACTORS);
    this.varied = varied.slice(0, MOST_FACTORS);
    this.possible = varied.length > 0;
    this.start = { first: data.start.y1, second: data.start.y2 };
    const another = [...data.metrics, data.start.x2, data.start.spread].find(
      (key) => key !== this.start.first && columns.get(key)?.role === "metric",
    );
    if (this.start.first === this.start.second && another) this.start.second = another;
    this.keys = { ...this.start };
  }

  choosers() {
    const change = (name) => (key) => {
      this.keys[name] = key;
      this.panels.chosen();
    };
    const metric = ({ role }) => role === "metric";
    return [
      element("span", {}, "Factors and"),
      chooser(this.keys.first, "First metric of the lines", change("first"), metric),
      "and",
      chooser(this.keys.second, "Second metric of the lines", change("second"), metric),
    ];
  }

  toAddress(address) {
    for (const name of ["first", "second"]) {
      if (this.keys[name] !== this.start[name]) address.set(`line_${name}`, this.keys[name]);
    }
  }

  fromAddress(address) {
    for (const name of ["first", "second"]) {
      this.keys[name] = keyIn(address, `line_${name}`, this.start[name], ({ words }) => !words);
    }
  }

  count() {
    const metrics = [this.keys.first, this.keys.second].map((key) => columns.get(key));
    this.axes = [...new Set([...this.varied, ...metrics])].filter(
      (column) => column.known.length && !(column.role !== "word" && column.low === column.high),
    );
    this.outside = 0;
    this.shown = rows.filter((row) => {
      if (!filtered[row]) return false;
      const far = this.axes.some((column) => {
        const range = scaleOf(column).cut;
        const value = column.v[row];
        return range && value !== null && (value < range.low || value > range.high);
      });
      this.outside += far ? 1 : 0;
      return !far;
    });
  }

  tall() {
    return TALL;
  }

  label() {
    return `${many(this.shown.length, "run")}, a line each, across ${this.axes.map(full).join(", ")}`;
  }

  words() {
    return [
      "A line per run, in the colour of its case. Filters and picked points choose the lines.",
      this.outside
        ? `${many(this.outside, "run")} outside, because the axes leave outliers out.`
        : "",
      this.left ? `${many(this.left, "further factor")} not shown.` : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  paint(context, width, height) {
    this.lines = [];
    if (!this.shown.length || this.axes.length < 2) {
      note(context, width, height, "No run to show");
      return;
    }
    const gap = width / this.axes.length;
    const scales = this.axes.map((column) => {
      const { log, cut } = scaleOf(column);
      const { low, high } = cut ?? column;
      return new Scale(low, high, height - FOOT, HEAD + 8, log);
    });
    const across = (i) => (i + 0.5) * gap;
    const some = this.shown.some((row) => !picked[row]);
    for (const wanted of some ? [0, 1] : [1]) {
      for (const row of this.shown) {
        if (picked[row] !== wanted) continue;
        // Cases of one network would hide one another where they share their factors.
        const apart = (data.case[row] - (data.cases.length - 1) / 2) * this.apart;
        const points = this.axes.flatMap(({ v, role }, i) =>
          v[row] === null
            ? []
            : [[across(i), scales[i].at(v[row]) + (role === "metric" ? 0 : apart)]],
        );
        const strong = row === state.hover || row === state.open;
        this.line(context, row, points, wanted ? (strong ? 1 : this.alpha()) : 0.07);
        if (wanted) this.lines.push({ row, points });
      }
    }
    for (const { row, points } of this.lines) {
      if (row === state.hover || row === state.open) this.line(context, row, points, 1);
    }
    this.axes.forEach((column, i) => this.axis(context, column, scales[i], across(i), gap, i % 2));
  }

  alpha() {
    const count = this.shown.length;
    return count > 600 ? 0.16 : count > 150 ? 0.3 : 0.6;
  }

  line(context, row, points, alpha) {
    context.globalAlpha = alpha;
    context.strokeStyle = caseColour(data.case[row]);
    context.lineWidth = alpha === 1 ? 2.4 : 1.1;
    context.setLineDash(isOk(row) ? [] : [3, 3]);
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  axis(context, column, scale, at, gap) {
    context.strokeStyle = palette.soft;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(Math.round(at) + 0.5, scale.to);
    context.lineTo(Math.round(at) + 0.5, scale.from);
    context.stroke();
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = palette.ink;
    context.fillText(clip(context, column.label, gap - 8), at, 8);
    context.fillStyle = palette.soft;
    context.fillText(clip(context, column.unit, gap - 8), at, 22);
    const places = column.words
      ? column.words.map((word, i) => [i, word])
      : scale.ticks(5).map((tick) => [tick, tickText(tick, column.unit)]);
    context.textAlign = "left";
    for (const [value, text] of places) {
      const y = scale.at(value);
      context.strokeStyle = palette.paper;
      context.lineWidth = 3;
      context.strokeText(clip(context, text, gap / 2 - 8), at + 6, y);
      context.fillText(clip(context, text, gap / 2 - 8), at + 6, y);
    }
  }

  nearest(event) {
    const [px, py] = place(this.panels.surface.canvas, event);
    let [best, least] = [null, NEAR];
    for (const { row, points } of this.lines ?? []) {
      for (let i = 1; i < points.length; i += 1) {
        const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
        if (px < x0 || px > x1) continue;
        const far = Math.abs(y0 + ((px - x0) / (x1 - x0)) * (y1 - y0) - py);
        if (far < least) [best, least] = [row, far];
      }
    }
    return best;
  }

  move(event) {
    const row = this.nearest(event);
    hover(row);
    if (row === null) hideTip();
    else tipFor(row, this.axes, event.clientX, event.clientY);
  }

  leave() {
    hover(null);
    hideTip();
  }

  click(event) {
    const row = this.nearest(event);
    if (row !== null) openRun(row);
  }
}
