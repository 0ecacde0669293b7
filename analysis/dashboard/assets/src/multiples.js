// Small multiples: one small plot per group, all with the same axes.

import { axes, axisWidth, extent, Scale } from "./axes.js";
import { caseColour, caseShape, cross, mark, palette, place } from "./canvas.js";
import { chooser, clip, keyIn, note, wayChooser } from "./choosers.js";
import { columns, data, factors, full, isOk, many, rows } from "./data.js";
import { grouped, isWay, ways } from "./groups.js";
import { openRun } from "./run.js";
import { scaleOf } from "./scales.js";
import { filtered, hover, picked, state } from "./state.js";
import { hideTip, tipFor } from "./tip.js";

const WIDE = 230;
const TALL = 190;
const NEAR = 14;

export class Multiples {
  constructor(panels) {
    this.panels = panels;
    this.title = "Small multiples";
    this.marks = true;
    const listed = factors.find((column) => column.values && column.values.length > 1);
    const by = data.campaigns.length > 1 ? ways[1].key : listed ? listed.key : ways[0].key;
    this.start = { x: data.start.x1, y: data.start.y1, by };
    this.keys = { ...this.start };
    this.panes = [];
  }

  choosers() {
    const change = (name) => (key) => {
      this.keys[name] = key;
      this.panels.chosen();
    };
    const numbers = ({ words }) => !words;
    return [
      chooser(this.keys.y, "Vertical axis of the panels", change("y"), numbers),
      "against",
      chooser(this.keys.x, "Horizontal axis of the panels", change("x"), numbers),
      "by",
      wayChooser(this.keys.by, "A panel per", change("by"), ways),
    ];
  }

  toAddress(address) {
    for (const name of ["x", "y", "by"]) {
      if (this.keys[name] !== this.start[name]) address.set(`panel_${name}`, this.keys[name]);
    }
  }

  fromAddress(address) {
    const numbers = ({ words }) => !words;
    this.keys.x = keyIn(address, "panel_x", this.start.x, numbers);
    this.keys.y = keyIn(address, "panel_y", this.start.y, numbers);
    const by = address.get("panel_by");
    this.keys.by = isWay(by) ? by : this.start.by;
  }

  count() {
    this.x = columns.get(this.keys.x);
    this.y = columns.get(this.keys.y);
    const { names, of } = grouped(this.keys.by);
    const all = names.map((name) => ({ name, rows: [] }));
    this.outside = 0;
    this.cut = { x: scaleOf(this.x).cut ?? this.x, y: scaleOf(this.y).cut ?? this.y };
    for (const row of rows) {
      const [x, y] = [this.x.v[row], this.y.v[row]];
      const group = of(row);
      if (!filtered[row] || x === null || y === null || group < 0) continue;
      if (within(x, this.cut.x) && within(y, this.cut.y)) all[group].rows.push(row);
      else this.outside += 1;
    }
    this.panes = all.filter((pane) => pane.rows.length);
  }

  across(width) {
    return Math.max(1, Math.min(this.panes.length, Math.floor(width / WIDE)));
  }

  tall(width) {
    return Math.max(1, Math.ceil(this.panes.length / this.across(width))) * TALL;
  }

  label() {
    const panes = this.panes.map((pane) => `${pane.name}: ${many(pane.rows.length, "run")}`);
    return `${full(this.y)} against ${full(this.x)}. ${panes.join("; ")}`;
  }

  words() {
    if (!this.outside) return "";
    return `${many(this.outside, "run")} outside these axes, which leave outliers out.`;
  }

  paint(context, width, height) {
    if (!this.panes.length) {
      note(context, width, height, "No run to show");
      return;
    }
    const across = this.across(width);
    const wide = width / across;
    const [logX, logY] = [scaleOf(this.x).log, scaleOf(this.y).log];
    this.panes.forEach((pane, i) => {
      const [left, top] = [(i % across) * wide, Math.floor(i / across) * TALL];
      const y = new Scale(...extent(this.cut.y, logY), top + TALL - 26, top + 24, logY);
      const from = left + axisWidth(context, y, this.y.unit);
      const x = new Scale(...extent(this.cut.x, logX), from, left + wide - 14, logX);
      axes(context, x, y, this.x.unit, this.y.unit);
      context.fillStyle = palette.ink;
      context.textAlign = "left";
      context.textBaseline = "top";
      context.fillText(clip(context, pane.name, wide - from + left - 14), x.from, top + 4);
      pane.seen = pane.rows.map((row) => ({
        row,
        px: x.at(this.x.v[row]),
        py: y.at(this.y.v[row]),
      }));
      this.points(context, pane.seen);
    });
  }

  points(context, seen) {
    const size = seen.length > 200 ? 2.2 : 3.2;
    for (const { row, px, py } of seen) {
      const number = data.case[row];
      context.globalAlpha = picked[row] ? 0.85 : 0.14;
      context.strokeStyle = caseColour(number);
      context.lineWidth = 1.2;
      context.beginPath();
      if (isOk(row)) mark(context, caseShape(number), px, py, size);
      else cross(context, px, py, size);
      context.stroke();
      if (row === state.hover || row === state.open) {
        context.globalAlpha = 1;
        context.strokeStyle = palette.ink;
        context.beginPath();
        context.arc(px, py, 6.5, 0, 2 * Math.PI);
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  nearest(event) {
    const [px, py] = place(this.panels.surface.canvas, event);
    let [best, least] = [null, NEAR * NEAR];
    for (const pane of this.panes) {
      for (const point of pane.seen ?? []) {
        const far = (point.px - px) ** 2 + (point.py - py) ** 2;
        if (far < least) [best, least] = [point, far];
      }
    }
    return best;
  }

  move(event) {
    const point = this.nearest(event);
    hover(point ? point.row : null);
    if (point) tipFor(point.row, [this.x, this.y], event.clientX, event.clientY);
    else hideTip();
  }

  leave() {
    hover(null);
    hideTip();
  }

  click(event) {
    const point = this.nearest(event);
    if (point) openRun(point.row);
  }
}

const within = (value, { low, high }) => value >= low && value <= high;
