// Two columns against each other; points are picked by dragging, opened by clicking.

import { axes, axisWidth, canLog, extent, Scale } from "./axes.js";
import { caseColour, caseShape, cross, mark, palette, place, Surface } from "./canvas.js";
import { chooser, note } from "./choosers.js";
import { clouds } from "./clouds.js";
import { columns, data, element, full, isOk, many, ofNumbers, rows } from "./data.js";
import { openRun } from "./run.js";
import { scaleOf } from "./scales.js";
import { curveColour, curveDashes, hollow, keyOf, ofColumn, widened } from "./theory.js";
import {
  changed,
  filtered,
  hover,
  numbers,
  picked,
  refilter,
  siblings,
  state,
  views,
} from "./state.js";
import { hideTip, tipFor } from "./tip.js";

const FEW = 200; // Up to so many marks are hollow.
const NEAR = 16; // Pixels within which a pointer means a point.

export class Scatter {
  constructor(host, number, x, y) {
    this.number = number; // in addresses
    this.start = { x, y };
    this.x = columns.get(x);
    this.y = columns.get(y);
    this.logX = scaleOf(this.x).log;
    this.logY = scaleOf(this.y).log;
    this.whole = false; // whether the axes show outliers too
    this.drag = null;
    this.yTools = element("div", { class: "axis y" });
    this.xTools = element("div", { class: "axis x" });
    this.area = element("div", {
      class: "area",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "scatter plot",
    });
    this.theoryKey = element("div", { class: "key" });
    this.outside = element("p", { class: "soft outside" });
    host.append(this.yTools, this.area, this.xTools, this.outside, this.theoryKey);
    const tall = (width) => Math.round(Math.min(380, Math.max(240, width * 0.68)));
    this.base = new Surface(this.area, tall, (...all) => this.paint(...all));
    this.over = new Surface(this.area, tall, (...all) => this.paintOver(...all));
    this.over.canvas.classList.add("over");
    this.tools();
    this.listen();
    views.push(this);
  }

  tools() {
    for (const [which, host] of [
      ["y", this.yTools],
      ["x", this.xTools],
    ]) {
      host.replaceChildren();
      const choice = chooser(
        this[which].key,
        `${which === "x" ? "Horizontal" : "Vertical"} axis`,
        (key) => {
          this[which] = columns.get(key);
          this[which === "x" ? "logX" : "logY"] = scaleOf(this[which]).log;
          if (state.brush && state.brush.from === this) state.brush = null;
          this.tools();
          refilter();
        },
        ({ words }) => !words,
      );
      host.append(choice);
      if (canLog(this[which])) host.append(this.logButton(which === "x" ? "logX" : "logY"));
    }
    const curves = ofColumn(this.y);
    const beside = curves.map(({ name }) => `, beside ${name}`).join("");
    this.area.setAttribute("aria-label", `${full(this.y)} against ${full(this.x)}${beside}`);
    this.theoryKey.hidden = !curves.length;
    this.theoryKey.replaceChildren(...keyOf(this.y));
  }

  logButton(name) {
    const button = element(
      "button",
      { type: "button", class: "log", "aria-pressed": String(this[name]) },
      "log",
    );
    button.addEventListener("click", () => {
      this[name] = !this[name];
      button.setAttribute("aria-pressed", String(this[name]));
      this.draw();
      changed();
    });
    return button;
  }

  toAddress(address) {
    for (const [axis, log] of [
      ["x", this.logX],
      ["y", this.logY],
    ]) {
      const name = `${axis}${this.number}`;
      if (this[axis].key !== this.start[axis]) address.set(name, this[axis].key);
      if (log !== scaleOf(this[axis]).log) address.append(log ? "log" : "linear", name);
    }
    if (this.whole) address.append("whole", String(this.number));
    const { brush } = state;
    if (brush && brush.from === this) {
      address.set("pick", [this.number, brush.x0, brush.x1, brush.y0, brush.y1].join("~"));
    }
  }

  fromAddress(address) {
    const [log, linear] = ["log", "linear"].map((name) => address.getAll(name));
    this.whole = address.getAll("whole").includes(String(this.number));
    for (const axis of ["x", "y"]) {
      const name = `${axis}${this.number}`;
      this[axis] = ofNumbers(address.get(name)) || columns.get(this.start[axis]);
      const chosen = log.includes(name) && canLog(this[axis]);
      const usual = scaleOf(this[axis]).log && !linear.includes(name);
      this[axis === "x" ? "logX" : "logY"] = chosen || usual;
    }
    this.tools();
    const [number, ...ends] = numbers((address.get("pick") || "").split("~"));
    if (number !== this.number || ends.length !== 4 || ends.includes(null)) return;
    const [x0, x1, y0, y1] = ends;
    if (x0 <= x1 && y0 <= y1) {
      state.brush = { from: this, x: this.x.key, y: this.y.key, x0, x1, y0, y1 };
    }
  }

  // The range of an axis without outliers, or null if it shows all values.
  cut(axis) {
    const log = axis === "x" ? this.logX : this.logY;
    return log || ofColumn(this[axis]).length ? null : scaleOf(this[axis]).cut;
  }

  // Whether a row lies within the range of both axes without outliers.
  inside(row) {
    return ["x", "y"].every((axis) => {
      const range = this.cut(axis);
      const value = this[axis].v[row];
      return !range || (value >= range.low && value <= range.high);
    });
  }

  draw() {
    this.base.draw();
    this.over.draw();
    this.tellOutside();
  }

  // A line on the runs beyond the axes, with a button that shows them.
  tellOutside() {
    const known = rows.filter(
      (row) => filtered[row] && this.x.v[row] !== null && this.y.v[row] !== null,
    );
    const far = known.filter((row) => !this.inside(row));
    this.outside.hidden = !far.length;
    if (!far.length) return;
    const near = new Set(known.filter((row) => this.inside(row)).map((row) => data.case[row]));
    const gone = [...new Set(far.map((row) => data.case[row]))].filter(
      (number) => !near.has(number),
    );
    const names = gone.map((number) => data.cases[number].name).join(", ");
    const where = this.whole ? "far from the others" : "outside";
    const text = `${far.length} of ${many(known.length, "run")} ${where}${names ? `, all of ${names}` : ""}. `;
    const button = element("button", { type: "button" }, this.whole ? "Leave out" : "Show all");
    button.addEventListener("click", () => {
      this.whole = !this.whole;
      this.draw();
      changed();
    });
    this.outside.replaceChildren(text, button);
  }

  mark() {
    this.over.draw();
  }

  paint(context, width, height) {
    const range = (axis) => (this.whole ? null : this.cut(axis));
    const [y0, y1] = extent(range("y") ?? widened(this.y), this.logY);
    const [x0, x1] = extent(range("x") ?? this.x, this.logX);
    this.sy = new Scale(y0, y1, height - 26, 8, this.logY);
    this.sx = new Scale(x0, x1, axisWidth(context, this.sy, this.y.unit), width - 12, this.logX);
    axes(context, this.sx, this.sy, this.x.unit, this.y.unit);
    this.seen = [];
    for (const row of rows) {
      const across = this.x.v[row];
      const up = this.y.v[row];
      if (!filtered[row] || across === null || up === null) continue;
      if ((this.logX && across <= 0) || (this.logY && up <= 0)) continue;
      if (!this.whole && !this.inside(row)) continue;
      this.seen.push({ row, px: this.sx.at(across), py: this.sy.at(up) });
    }
    this.size = this.seen.length > 600 ? 2.6 : this.seen.length > 200 ? 3.1 : 3.8;
    const some = state.brush !== null;
    if (some) this.points(context, (row) => !picked[row], 0.13);
    this.points(context, (row) => picked[row], this.seen.length > FEW ? 0.62 : 0.9);
    for (const curve of ofColumn(this.y)) this.theory(context, curve);
    if (this.x.role === "metric" && this.y.role === "metric" && this.x !== this.y) {
      clouds(
        context,
        this.seen.filter(({ row }) => picked[row] && this.inside(row)),
      );
    }
    if (!this.seen.length) note(context, width, height, "No run to show");
  }

  // Hollow marks; over a factor with few values, a dashed line joins their means.
  theory(context, curve) {
    const known = this.seen.filter(({ row }) => curve.v[row] !== null);
    const shownRows = known.filter(({ row }) => !this.logY || curve.v[row] > 0);
    const columnsOf = new Map();
    for (const { row, px } of shownRows) {
      columnsOf.set(px, [...(columnsOf.get(px) ?? []), curve.v[row]]);
    }
    if (!this.x.values) {
      for (const { row, px } of shownRows) hollow(context, curve, px, this.sy.at(curve.v[row]));
      return;
    }
    const means = [...columnsOf]
      .map(([px, all]) => [px, this.sy.at(all.reduce((a, b) => a + b, 0) / all.length)])
      .sort(([a], [b]) => a - b);
    context.strokeStyle = curveColour(curve);
    context.lineWidth = 1.2;
    context.setLineDash(curveDashes(curve));
    context.beginPath();
    for (const [px, py] of means) context.lineTo(px, py);
    context.stroke();
    context.setLineDash([]);
    for (const [px, py] of means) hollow(context, curve, px, py);
  }

  // One path for all points of a case that look alike.
  points(context, wanted, alpha) {
    context.globalAlpha = alpha;
    data.cases.forEach((_, number) => {
      context.fillStyle = context.strokeStyle = caseColour(number);
      context.beginPath();
      for (const { row, px, py } of this.seen) {
        if (data.case[row] === number && isOk(row) && wanted(row)) {
          mark(context, caseShape(number), px, py, this.size);
        }
      }
      // Few marks have no filling, so that equal values of several cases are all seen.
      context.lineWidth = 1.3;
      if (this.seen.length > FEW) context.fill();
      else context.stroke();
      context.beginPath();
      for (const { row, px, py } of this.seen) {
        if (data.case[row] === number && !isOk(row) && wanted(row)) {
          cross(context, px, py, this.size);
        }
      }
      context.lineWidth = 1.4;
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  paintOver(context) {
    if (!this.sx) return;
    if (state.brush && state.brush.from === this) this.paintBrush(context);
    for (const row of new Set([state.open, state.hover])) {
      if (row === null) continue;
      const points = siblings(row)
        .map((other) => this.where(other))
        .filter(Boolean);
      context.strokeStyle = palette.soft;
      context.lineWidth = 1;
      context.beginPath();
      const mine = this.where(row);
      if (mine) {
        for (const point of points) {
          context.moveTo(mine[0], mine[1]);
          context.lineTo(point[0], point[1]);
        }
      }
      for (const point of points) {
        context.moveTo(point[0] + 5, point[1]);
        context.arc(point[0], point[1], 5, 0, 2 * Math.PI);
      }
      context.globalAlpha = 0.6;
      context.stroke();
      context.globalAlpha = 1;
      if (!mine) continue;
      context.strokeStyle = palette.ink;
      context.lineWidth = row === state.open ? 2.2 : 1.4;
      context.beginPath();
      context.arc(mine[0], mine[1], 7, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  paintBrush(context) {
    const { x0, x1, y0, y1 } = state.brush;
    const left = Math.max(this.sx.from, this.sx.at(this.logX ? Math.max(x0, this.sx.low) : x0));
    const top = Math.max(this.sy.to, this.sy.at(y1));
    const right = Math.min(this.sx.to, this.sx.at(x1));
    const bottom = Math.min(this.sy.from, this.sy.at(this.logY ? Math.max(y0, this.sy.low) : y0));
    context.fillStyle = palette.wash;
    context.fillRect(left, top, right - left, bottom - top);
    context.strokeStyle = palette.accent;
    context.lineWidth = 1;
    context.strokeRect(
      Math.round(left) + 0.5,
      Math.round(top) + 0.5,
      Math.round(right - left),
      Math.round(bottom - top),
    );
  }

  where(row) {
    if (!filtered[row]) return null;
    const across = this.x.v[row];
    const up = this.y.v[row];
    if (across === null || up === null || !(this.whole || this.inside(row))) return null;
    return [this.sx.at(across), this.sy.at(up)];
  }

  nearest(px, py) {
    let best = null;
    let least = NEAR * NEAR;
    for (const point of this.seen || []) {
      const far = (point.px - px) ** 2 + (point.py - py) ** 2;
      if (far < least) [best, least] = [point, far];
    }
    return best;
  }

  listen() {
    const area = this.area;
    area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const [px, py] = place(this.base.canvas, event);
      this.drag = { px, py, moved: false };
      area.setPointerCapture(event.pointerId);
      hideTip();
    });
    area.addEventListener("pointermove", (event) => {
      const [px, py] = place(this.base.canvas, event);
      if (this.drag) {
        this.drag.moved = this.drag.moved || Math.hypot(px - this.drag.px, py - this.drag.py) > 4;
        if (this.drag.moved) this.brush(px, py);
        return;
      }
      const point = this.nearest(px, py);
      hover(point ? point.row : null);
      if (point) tipFor(point.row, [this.x, this.y], event.clientX, event.clientY);
      else hideTip();
    });
    area.addEventListener("pointerup", (event) => {
      const drag = this.drag;
      this.drag = null;
      if (!drag || drag.moved) return;
      const point = this.nearest(...place(this.base.canvas, event));
      if (point) openRun(point.row);
      else this.release();
    });
    area.addEventListener("pointercancel", () => {
      this.drag = null;
    });
    area.addEventListener("pointerleave", () => {
      if (!this.drag) {
        hover(null);
        hideTip();
      }
    });
    area.addEventListener("blur", () => {
      hover(null);
      hideTip();
    });
    area.addEventListener("keydown", (event) => this.key(event));
  }

  brush(px, py) {
    const clip = (value, a, b) => Math.min(Math.max(value, Math.min(a, b)), Math.max(a, b));
    const across = [this.drag.px, px]
      .map((p) => this.sx.back(clip(p, this.sx.from, this.sx.to)))
      .sort((a, b) => a - b);
    const up = [this.drag.py, py]
      .map((p) => this.sy.back(clip(p, this.sy.from, this.sy.to)))
      .sort((a, b) => a - b);
    state.brush = {
      from: this,
      x: this.x.key,
      y: this.y.key,
      x0: across[0],
      x1: across[1],
      y0: up[0],
      y1: up[1],
    };
    refilter();
  }

  release() {
    if (!state.brush) return;
    state.brush = null;
    refilter();
  }

  // Arrows go to the next point in that direction's order.
  key(event) {
    if (event.key === "Escape" && state.brush) {
      this.release();
      event.stopPropagation();
      return;
    }
    if (event.key === "Enter" && state.hover !== null) {
      openRun(state.hover);
      return;
    }
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const up = { ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!across && !up) return;
    event.preventDefault();
    const column = across ? this.x : this.y;
    const order = this.seen
      .filter((p) => picked[p.row])
      .sort((a, b) => column.v[a.row] - column.v[b.row] || a.row - b.row);
    if (!order.length) return;
    const now = order.findIndex((p) => p.row === state.hover);
    const next = now < 0 ? 0 : Math.min(order.length - 1, Math.max(0, now + (across || up)));
    const point = order[next];
    hover(point.row);
    const box = this.base.canvas.getBoundingClientRect();
    tipFor(point.row, [this.x, this.y], box.left + point.px, box.top + point.py);
  }
}
