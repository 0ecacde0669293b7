// Something over time, as lines or as dots, with a reading of the values at the pointer.

import { axes, axisWidth, Scale } from "./axes.js";
import { palette, place, Surface } from "./canvas.js";
import { element, formatNumber, shown } from "./data.js";

export class TimeChart {
  // lines: { name, colour, t, v, from, faint, thin, dots, dash }; levels: { value, name }
  // marks: a function that gives events as { t, kind, what, colour }
  constructor(host, { lines, levels = [], marks, unit = "", height = 170, label = "" }) {
    this.lines = lines.filter((line) => line.t.length);
    this.levels = levels;
    this.marks = marks ?? (() => []);
    this.unit = unit;
    this.at = null;
    this.key = element("div", { class: "key" });
    const area = element("div", { class: "area", role: "img", "aria-label": label });
    host.append(this.key, area);
    this.surface = new Surface(area, height, (...all) => this.paint(...all));
    area.addEventListener("pointermove", (event) => {
      if (!this.x) return;
      this.at = Math.min(
        this.x.high,
        Math.max(this.x.low, this.x.back(place(this.surface.canvas, event)[0])),
      );
      this.draw();
    });
    area.addEventListener("pointerleave", () => {
      this.at = null;
      this.draw();
    });
    this.range();
    this.draw();
  }

  range() {
    let [low, high, begin, end] = [0, -Infinity, Infinity, -Infinity];
    for (const line of this.lines) {
      for (let i = 0; i < line.t.length; i += 1) {
        if (line.v[i] === null) continue;
        low = Math.min(low, line.v[i]);
        high = Math.max(high, line.v[i]);
        begin = Math.min(begin, line.t[i]);
        end = Math.max(end, line.t[i]);
      }
    }
    for (const level of this.levels) high = Math.max(high, level.value * 1.1);
    this.limits = {
      low,
      high: high > low ? high * 1.05 : low + 1,
      begin: Math.min(0, begin),
      end: end > begin ? end : begin + 1,
    };
  }

  draw() {
    this.key.replaceChildren(
      ...[
        ...this.lines
          .filter((line) => !line.silent)
          .map((line) => {
            const mark = element("i", {
              style: `--colour:${line.colour}`,
              class: line.faint ? "faint" : line.dash ? "dashed" : "",
            });
            const value = this.at === null ? "" : ` ${shown(this.reading(line), this.unit, 3)}`;
            return element(
              "span",
              { class: line.faint ? "soft" : "" },
              mark,
              `${line.name}${value}`,
            );
          }),
        this.at === null
          ? ""
          : element("span", { class: "soft" }, `at ${formatNumber(this.at, 3)} s${this.near()}`),
      ],
    );
    this.surface.draw();
  }

  // The events close to the pointer, in words.
  near() {
    const reach = 0.01 * (this.limits.end - this.limits.begin);
    return this.marks()
      .filter((mark) => Math.abs(mark.t - this.at) <= reach)
      .map((mark) => `, ${mark.kind} ${mark.what}`)
      .join("");
  }

  // The value in force at the pointer: of the first time that is not before it.
  reading(line) {
    let [low, high] = [0, line.t.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (line.t[middle] < this.at) low = middle + 1;
      else high = middle;
    }
    return line.v[low];
  }

  paint(context, width, height) {
    const { low, high, begin, end } = this.limits;
    const y = new Scale(low, high, height - 24, 6);
    const x = new Scale(begin, end, axisWidth(context, y, this.unit), width - 14);
    this.x = x;
    axes(context, x, y, "", this.unit, "s");
    context.fillStyle = palette.soft;
    context.textAlign = "right";
    for (const level of this.levels) {
      const placed = (value) => Math.round(y.at(value)) + 0.5;
      const all = level.steps ?? [[begin, level.value]];
      const steps = all.filter(([time], i) => i === 0 || time < end); // A run outlasts its traffic.
      const at = placed(steps[steps.length - 1][1]);
      context.strokeStyle = palette.soft;
      context.lineWidth = 1;
      context.setLineDash([4, 3]);
      context.beginPath();
      steps.forEach(([time, value], i) => {
        const from = Math.max(x.from, x.at(time));
        const to = i + 1 < steps.length ? x.at(steps[i + 1][0]) : x.to;
        context.lineTo(from, placed(value));
        context.lineTo(Math.max(from, to), placed(value));
      });
      context.stroke();
      context.setLineDash([]);
      context.textBaseline = at > 20 ? "bottom" : "top";
      context.fillText(level.name, x.to - 2, at + (at > 20 ? -2 : 3));
    }
    for (const line of [...this.lines].sort((a, b) => Boolean(b.faint) - Boolean(a.faint))) {
      this.one(context, x, y, line);
    }
    for (const mark of this.marks()) this.event(context, x, y, mark);
    if (this.at !== null) {
      context.strokeStyle = palette.ink;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(Math.round(x.at(this.at)) + 0.5, y.to);
      context.lineTo(Math.round(x.at(this.at)) + 0.5, y.from);
      context.stroke();
    }
  }

  // A thin line across, with a triangle on the axis.
  event(context, x, y, { t, colour }) {
    if (t < this.limits.begin || t > this.limits.end) return;
    const at = Math.round(x.at(t)) + 0.5;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1;
    context.globalAlpha = 0.55;
    context.beginPath();
    context.moveTo(at, y.to);
    context.lineTo(at, y.from);
    context.stroke();
    context.globalAlpha = 1;
    context.beginPath();
    context.moveTo(at - 4, y.from);
    context.lineTo(at + 4, y.from);
    context.lineTo(at, y.from - 7);
    context.fill();
  }

  one(context, x, y, line) {
    context.strokeStyle = context.fillStyle = line.colour;
    context.globalAlpha = line.faint ? 0.45 : 1;
    if (line.dots) {
      const size = line.size || 1.6;
      for (let i = 0; i < line.t.length; i += 1) {
        context.fillRect(x.at(line.t[i]) - size / 2, y.at(line.v[i]) - size / 2, size, size);
      }
    } else {
      context.lineWidth = line.faint ? 1 : line.thin ? 1.3 : 1.8;
      context.setLineDash(line.dash || []);
      context.beginPath();
      let pen = false;
      for (let i = 0; i < line.t.length; i += 1) {
        if (line.v[i] === null) {
          pen = false;
          continue;
        }
        if (line.from) {
          // An interval is level from its beginning to its end.
          context[pen ? "lineTo" : "moveTo"](x.at(line.from[i]), y.at(line.v[i]));
          pen = true;
        }
        if (pen) context.lineTo(x.at(line.t[i]), y.at(line.v[i]));
        else context.moveTo(x.at(line.t[i]), y.at(line.v[i]));
        pen = true;
      }
      context.stroke();
      context.setLineDash([]);
    }
    context.globalAlpha = 1;
  }
}
