// A heat map per case: the median of a metric over two factors.

import { palette, place, rgb } from "./canvas.js";
import { caseChooser, chooser, clip, folded, keyIn, note } from "./choosers.js";
import {
  columns,
  data,
  element,
  factors,
  formatNumber,
  full,
  isOk,
  many,
  quantile,
  rows,
} from "./data.js";
import { binOf, bins } from "./groups.js";
import { filtered, networkKey, picked, refilter, state } from "./state.js";
import { hideTip, showTip } from "./tip.js";

const CELL = 30;
const HEAD = 24;
const FOOT = 44;
const LINE = 13;
const WIDE = 320;
const BELOW = [213, 94, 0];
const ABOVE = [0, 114, 178];

export class HeatMap {
  constructor(panels) {
    this.panels = panels;
    this.title = "Heat map";
    const varied = factors.filter((column) => column.low !== column.high);
    this.possible = varied.length > 1;
    if (!this.possible) return;
    this.start = { metric: data.start.spread, x: varied[0].key, y: varied[1].key };
    this.keys = { ...this.start };
    this.over = null;
    this.maps = [];
  }

  choosers() {
    const change = (name) => (key) => {
      const other = { x: "y", y: "x" }[name];
      if (other && key === this.keys[other]) this.keys[other] = this.keys[name];
      this.keys[name] = key;
      this.panels.chosen();
    };
    const spread = (column) => column.role !== "metric" && column.low !== column.high;
    const over = caseChooser(this.over, "Compared with", (number) => {
      this.over = number;
      this.panels.chosen();
    });
    return [
      chooser(this.keys.metric, "Metric of the map", change("metric"), ({ words }) => !words),
      "over",
      chooser(this.keys.x, "Factor across", change("x"), spread),
      "and",
      chooser(this.keys.y, "Factor up", change("y"), spread),
      ...(data.cases.length > 1 ? [over] : []),
    ];
  }

  toAddress(address) {
    for (const name of ["metric", "x", "y"]) {
      if (this.keys[name] !== this.start[name]) address.set(`heat_${name}`, this.keys[name]);
    }
    if (this.over !== null) address.set("heat_over", data.cases[this.over].name);
    if (state.brush?.from === this) {
      const { x0, x1, y0, y1 } = state.brush;
      address.set("pick", ["heat", x0, x1, y0, y1].join("~"));
    }
  }

  fromAddress(address) {
    if (!this.possible) return;
    const spread = (column) => column.role !== "metric" && column.low !== column.high;
    this.keys.metric = keyIn(address, "heat_metric", this.start.metric, ({ words }) => !words);
    this.keys.x = keyIn(address, "heat_x", this.start.x, spread);
    this.keys.y = keyIn(address, "heat_y", this.start.y, spread);
    if (this.keys.x === this.keys.y) [this.keys.x, this.keys.y] = [this.start.x, this.start.y];
    const over = data.cases.findIndex(({ name }) => name === address.get("heat_over"));
    this.over = over < 0 ? null : over;
    const [which, ...ends] = (address.get("pick") || "").split("~");
    const [x0, x1, y0, y1] = ends.map((word) => (word.trim() === "" ? NaN : Number(word)));
    if (which === "heat" && ends.length === 4 && x0 <= x1 && y0 <= y1) {
      state.brush = { from: this, x: this.keys.x, y: this.keys.y, x0, x1, y0, y1 };
    }
  }

  // The metric of each network and case, repetitions averaged.
  networks() {
    const found = new Map();
    // A cell that was clicked leaves the map as it is.
    const chosen = state.brush?.from === this ? filtered : picked;
    for (const row of rows) {
      const value = this.metric.v[row];
      if (!chosen[row] || !isOk(row) || value === null) continue;
      const [x, y] = [binOf(this.x.v[row], this.across), binOf(this.y.v[row], this.up)];
      if (x < 0 || y < 0) continue;
      const key = networkKey(row);
      if (!found.has(key)) found.set(key, { x, y, cases: data.cases.map(() => []) });
      found.get(key).cases[data.case[row]].push(value);
    }
    return [...found.values()];
  }

  count() {
    this.metric = columns.get(this.keys.metric);
    this.x = columns.get(this.keys.x);
    this.y = columns.get(this.keys.y);
    [this.across, this.up] = [bins(this.x), bins(this.y)];
    const cells = data.cases.map(() => this.up.map(() => this.across.map(() => [])));
    const every = this.networks();
    const bases = this.over === null ? [] : every.map((network) => mean(network.cases[this.over]));
    this.percent = this.over !== null && bases.every((base) => base === null || base > 0);
    every.forEach((network, i) => {
      network.cases.forEach((values, number) => {
        let value = mean(values);
        if (value === null || number === this.over) return;
        if (this.over !== null) {
          if (bases[i] === null) return;
          value = this.percent ? (value / bases[i] - 1) * 100 : value - bases[i];
        }
        cells[number][network.y][network.x].push(value);
      });
    });
    for (const value of cells.flat(2)) value.sort((a, b) => a - b);
    this.maps = cells
      .map((table, number) => ({ number, table }))
      .filter(({ table }) => table.some((line) => line.some((cell) => cell.length)));
    const medians = this.maps.flatMap(({ table }) =>
      table
        .flat()
        .filter((cell) => cell.length)
        .map((cell) => quantile(cell, 0.5)),
    );
    [this.low, this.high] = [Math.min(...medians), Math.max(...medians)];
  }

  columnsOf(width) {
    return Math.max(1, Math.min(this.maps.length, Math.floor(width / WIDE)));
  }

  get high_() {
    return HEAD + this.up.length * CELL + FOOT;
  }

  tall(width) {
    if (!this.maps.length) return 120;
    return Math.ceil(this.maps.length / this.columnsOf(width)) * this.high_;
  }

  unit() {
    return this.percent ? "%" : this.metric.unit;
  }

  title_() {
    const over = this.over === null ? "" : `, difference from ${data.cases[this.over].name}`;
    return `Median of ${this.metric.label}${over} [${this.unit() || "no unit"}]`;
  }

  label() {
    const cells = this.maps.flatMap(({ number, table }) =>
      table.flatMap((line, y) =>
        line.flatMap((cell, x) =>
          cell.length ? [`${data.cases[number].name}, ${this.cell(x, y)}: ${this.text(cell)}`] : [],
        ),
      ),
    );
    return `${this.title_()} over ${full(this.x)} and ${full(this.y)}. ${cells.slice(0, 200).join("; ")}`;
  }

  words() {
    if (!this.maps.length) return "";
    return `${this.title_()}, by network, across ${full(this.x)} and up ${full(this.y)}. Click a cell to pick its runs.`;
  }

  cell(x, y) {
    return `${this.x.label} ${this.across[x].name}, ${this.y.label} ${this.up[y].name}`;
  }

  text(cell) {
    const value = quantile(cell, 0.5);
    const sign = this.over !== null && value > 0 ? "+" : "";
    return `${sign}${formatNumber(value, 3)}`;
  }

  // Blue for much; with a case to compare with, orange below 0.
  colour(value) {
    const paper = rgb(palette.paper);
    const mix = (colour, part) =>
      paper.map((from, i) => Math.round(from + (colour[i] - from) * part));
    if (this.over !== null) {
      const most = Math.max(Math.abs(this.low), Math.abs(this.high)) || 1;
      return mix(value < 0 ? BELOW : ABOVE, Math.abs(value) / most);
    }
    return mix(ABOVE, 0.06 + 0.94 * ((value - this.low) / (this.high - this.low || 1)));
  }

  paint(context, width, height) {
    this.boxes = [];
    if (!this.maps.length) {
      note(context, width, height, "No run that is ok and picked has this metric");
      return;
    }
    const across = this.columnsOf(width);
    const wide = width / across;
    this.maps.forEach((map, i) => {
      this.map(context, map, (i % across) * wide, Math.floor(i / across) * this.high_, wide);
    });
  }

  map(context, { number, table }, left, top, wide) {
    const names = this.up.map(({ name }) => context.measureText(name).width);
    const from = left + Math.min(wide * 0.34, Math.max(...names) + 10);
    const cell = (left + wide - 16 - from) / this.across.length;
    context.fillStyle = palette.ink;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(clip(context, data.cases[number].name, wide - 20), from, top + HEAD / 2);
    table.forEach((line, y) => {
      const at = top + HEAD + (this.up.length - 1 - y) * CELL;
      context.textAlign = "right";
      context.fillStyle = palette.soft;
      context.fillText(clip(context, this.up[y].name, from - left - 8), from - 6, at + CELL / 2);
      line.forEach((values, x) =>
        this.box(context, { number, values, x, y }, from + x * cell, at, cell),
      );
    });
    const bottom = top + HEAD + this.up.length * CELL;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.fillStyle = palette.soft;
    this.across.forEach(({ name }, x) => {
      folded(context, name, cell - 4).forEach((line, row) => {
        context.fillText(line, from + (x + 0.5) * cell, bottom + 5 + row * LINE);
      });
    });
  }

  box(context, { number, values, x, y }, left, top, wide) {
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    if (!values.length) {
      context.strokeRect(left + 0.5, top + 0.5, wide - 2, CELL - 2);
      return;
    }
    const colour = this.colour(quantile(values, 0.5));
    context.fillStyle = `rgb(${colour.join()})`;
    context.fillRect(left, top, wide - 1, CELL - 1);
    const bright = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
    context.fillStyle = bright > 140 ? "#111" : "#fff";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const text = this.text(values);
    if (context.measureText(text).width < wide - 4) {
      context.fillText(text, left + wide / 2, top + CELL / 2);
    }
    const brush = state.brush?.from === this ? state.brush : null;
    if (
      brush &&
      this.ends(x, y).every((end, i) => end === [brush.x0, brush.x1, brush.y0, brush.y1][i])
    ) {
      context.strokeStyle = palette.ink;
      context.lineWidth = 2;
      context.strokeRect(left + 1, top + 1, wide - 3, CELL - 3);
    }
    this.boxes.push({ left, top, wide, number, values, x, y });
  }

  // The values of a cell: from above the lower end of a range to its upper end.
  ends(x, y) {
    return [
      [this.x, this.across, x],
      [this.y, this.up, y],
    ].flatMap(([column, all, i]) => {
      const mine = column.known.filter((value) => binOf(value, all) === i);
      return [Math.min(...mine), Math.max(...mine)];
    });
  }

  at(event) {
    const [px, py] = place(this.panels.surface.canvas, event);
    return this.boxes?.find(
      ({ left, top, wide }) => px >= left && px < left + wide && py >= top && py < top + CELL,
    );
  }

  move(event) {
    const box = this.at(event);
    if (!box) {
      hideTip();
      return;
    }
    const lines = [
      element("strong", {}, data.cases[box.number].name),
      element("div", {}, this.cell(box.x, box.y)),
      element(
        "div",
        {},
        `${this.text(box.values)} ${this.unit()}, ${many(box.values.length, "network")}`,
      ),
    ];
    showTip(lines, event.clientX, event.clientY);
  }

  leave() {
    hideTip();
  }

  click(event) {
    const box = this.at(event);
    const mine = state.brush?.from === this;
    if (!box && !mine) return;
    if (!box) state.brush = null;
    else {
      const [x0, x1, y0, y1] = this.ends(box.x, box.y);
      const same = mine && state.brush.x0 === x0 && state.brush.y0 === y0;
      state.brush = same ? null : { from: this, x: this.x.key, y: this.y.key, x0, x1, y0, y1 };
    }
    refilter();
  }
}

const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);
