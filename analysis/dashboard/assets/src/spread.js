// How a metric is distributed, by case and by batches of a factor: boxes, or CDFs.

import { axes, extent, Scale, tickText } from "./axes.js";
import { caseColour, palette, Surface } from "./canvas.js";
import {
  batches,
  batchName,
  columns,
  data,
  element,
  full,
  inBatch,
  isOk,
  formatNumber,
  ofNumbers,
  quantile,
  rows,
  shown,
} from "./data.js";
import { chooser, clip, note } from "./choosers.js";
import { hollow, keyOf, ofColumn } from "./theory.js";
import { changed, picked, views } from "./state.js";

const LINE = 24; // Height of a box's line.
const LEAST_BOX = 5; // Fewer values are points alone, as in the report.
const HEAD = 22; // Height of a batch's name.

export class Spread {
  constructor(host) {
    this.metric = columns.get(data.start.spread);
    this.by = null;
    this.mode = "boxes";
    this.head = element("div", { class: "head" });
    this.area = element("div", { class: "area", role: "img" });
    this.key = element("div", { class: "key" });
    host.append(this.head, this.area, this.key);
    this.surface = new Surface(
      this.area,
      (width) => this.tall(width),
      (...all) => this.paint(...all),
    );
    this.tools();
    views.push(this);
  }

  tools() {
    const change = (act) => (key) => {
      act(key);
      this.draw();
      changed();
    };
    const boxes = this.modeButton("boxes", "Boxes");
    const cdf = this.modeButton("cdf", "CDF");
    const metric = chooser(
      this.metric.key,
      "Metric",
      change((key) => {
        this.metric = columns.get(key);
      }),
      ({ words }) => !words,
    );
    const by = chooser(
      "",
      "Batches of",
      change((key) => {
        this.by = key ? columns.get(key) : null;
      }),
      (c) => c.role !== "metric",
      "case alone",
    );
    this.head.append(
      element("h2", {}, "Distribution of"),
      metric,
      element("span", {}, "by"),
      by,
      element("span", { class: "modes", role: "group", "aria-label": "Drawn as" }, boxes, cdf),
    );
    this.buttons = { boxes, cdf };
    this.selects = { metric, by };
  }

  toAddress(address) {
    if (this.metric.key !== data.start.spread) address.set("metric", this.metric.key);
    if (this.by) address.set("by", this.by.key);
    if (this.mode !== "boxes") address.set("draw", this.mode);
  }

  fromAddress(address) {
    const by = columns.get(address.get("by"));
    this.metric = ofNumbers(address.get("metric")) || columns.get(data.start.spread);
    this.by = by && by.role !== "metric" ? by : null;
    this.selects.metric.value = this.metric.key;
    this.selects.by.value = this.by ? this.by.key : "";
    this.setMode(address.get("draw") === "cdf" ? "cdf" : "boxes");
  }

  setMode(mode) {
    this.mode = mode;
    for (const [name, button] of Object.entries(this.buttons)) {
      button.setAttribute("aria-pressed", String(name === mode));
    }
  }

  modeButton(mode, name) {
    const button = element(
      "button",
      { type: "button", "aria-pressed": String(this.mode === mode) },
      name,
    );
    button.addEventListener("click", () => {
      this.setMode(mode);
      this.draw();
      changed();
    });
    return button;
  }

  // Batches, in each the picked rows that are ok and have the metric, by case, sorted.
  count() {
    const parts = this.by ? batches(this.by) : [null];
    const at = (row) =>
      this.by
        ? parts.findIndex((batch) => this.by.v[row] !== null && inBatch(this.by.v[row], batch))
        : 0;
    this.curves = ofColumn(this.metric);
    const found = parts.map((batch) => ({
      batch,
      cases: data.cases.map(() => []),
      theory: data.cases.map(() => this.curves.map(() => [])),
    }));
    for (const row of rows) {
      const value = this.metric.v[row];
      if (!picked[row] || !isOk(row) || value === null) continue;
      const batch = at(row);
      if (batch < 0) continue;
      found[batch].cases[data.case[row]].push(value);
      this.curves.forEach((curve, i) => {
        if (curve.v[row] !== null) found[batch].theory[data.case[row]][i].push(curve.v[row]);
      });
    }
    for (const group of found) for (const values of group.cases) values.sort((a, b) => a - b);
    this.shown = data.cases
      .map((_, number) => number)
      .filter((number) => found.some((g) => g.cases[number].length));
    this.found = found;
    const all = found
      .flatMap((group) => [
        ...group.cases.flatMap((v) => [v[0], v[v.length - 1]]),
        ...group.theory.flat().flatMap((v) => [mean(v)]),
      ])
      .filter((v) => v !== undefined);
    this.low = Math.min(...all);
    this.high = Math.max(...all);
    this.any = all.length > 0;
  }

  tall(width) {
    if (!this.any) return 120;
    if (this.mode === "cdf") {
      const [across, high] = this.grid(width);
      return Math.ceil(this.found.length / across) * high + (this.by ? 0 : 26);
    }
    return this.found.length * (this.shown.length * LINE + (this.by ? HEAD : 4)) + 30;
  }

  grid(width) {
    if (!this.by) return [1, 240];
    const across = Math.max(1, Math.min(this.found.length, Math.floor(width / 190)));
    return [across, 190];
  }

  draw() {
    this.count();
    this.key.replaceChildren(...(this.mode === "boxes" ? keyOf(this.metric) : []));
    this.surface.draw();
    const said = [];
    for (const group of this.found) {
      for (const number of this.shown) {
        const values = group.cases[number];
        if (values.length) {
          said.push(
            `${data.cases[number].name}${group.batch ? `, ${batchName(group.batch, this.by)}` : ""}: median ${shown(quantile(values, 0.5), this.metric.unit)} of ${values.length}`,
          );
        }
      }
    }
    this.area.setAttribute("aria-label", `${full(this.metric)}. ${said.join("; ")}`);
  }

  paint(context, width, height) {
    if (!this.any) {
      note(context, width, height, "No run that is ok and picked has this metric");
      return;
    }
    if (this.mode === "cdf") this.paintCurves(context, width);
    else this.paintBoxes(context, width, height);
  }

  domain() {
    return extent({ low: this.low, high: this.high }, false);
  }

  paintBoxes(context, width, height) {
    const names = this.shown.map((number) => context.measureText(data.cases[number].name).width);
    const left = Math.min(width * 0.3, Math.max(40, ...names) + 16);
    const right = width - (width < 520 ? 62 : 132);
    const x = new Scale(...this.domain(), left, right);
    context.strokeStyle = palette.line;
    context.fillStyle = palette.soft;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.beginPath();
    for (const tick of x.ticks((right - left) / 70)) {
      const at = Math.round(x.at(tick)) + 0.5;
      context.moveTo(at, this.by ? HEAD - 6 : 0);
      context.lineTo(at, height - 26);
      context.fillText(tickText(tick, this.metric.unit), at, height - 20);
    }
    context.stroke();
    context.textAlign = "left";
    context.fillText("median", right + 12, height - 20);
    context.textAlign = "right";
    if (width >= 520) context.fillText("n", width - 26, height - 20);
    let top = 0;
    for (const group of this.found) {
      if (this.by) {
        context.fillStyle = palette.ink;
        context.textAlign = "left";
        context.textBaseline = "middle";
        context.fillText(
          `${this.by.label} ${batchName(group.batch, this.by)}${group.batch.only || !this.by.unit ? "" : ` ${this.by.unit}`}`,
          0,
          top + HEAD / 2,
        );
        top += HEAD;
      } else top += 4;
      for (const number of this.shown) {
        this.box(context, x, group.cases[number], number, top + LINE / 2, right, width);
        this.curves.forEach((curve, i) => {
          const theory = mean(group.theory[number][i]);
          if (theory !== undefined) hollow(context, curve, x.at(theory), top + LINE / 2);
        });
        top += LINE;
      }
    }
  }

  box(context, x, values, number, y, right, width) {
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillStyle = palette.soft;
    context.fillText(clip(context, data.cases[number].name, x.from - 12), x.from - 10, y);
    if (!values.length) {
      context.textAlign = "left";
      context.fillText("–", right + 12, y);
      return;
    }
    const colour = caseColour(number);
    const [q1, q2, q3] = [0.25, 0.5, 0.75].map((part) => quantile(values, part));
    const reach = 1.5 * (q3 - q1);
    const low = values.find((v) => v >= q1 - reach);
    const high = values.findLast((v) => v <= q3 + reach);
    context.fillStyle = colour;
    const few = values.length < LEAST_BOX;
    const size = few ? 3 : 1.6;
    context.globalAlpha = few ? 1 : values.length > 150 ? 0.22 : 0.4;
    context.beginPath();
    values.forEach((value, i) => {
      const at = y + ((((i + 1) * 0.618034) % 1) - 0.5) * (LINE - 10);
      context.moveTo(x.at(value) + size, at);
      context.arc(x.at(value), at, size, 0, 2 * Math.PI);
    });
    context.fill();
    if (!few) {
      context.globalAlpha = 0.16;
      context.fillRect(x.at(q1), y - 7, Math.max(1, x.at(q3) - x.at(q1)), 14);
      context.globalAlpha = 1;
      context.strokeStyle = colour;
      context.lineWidth = 1.2;
      context.beginPath();
      context.rect(x.at(q1), y - 7, Math.max(1, x.at(q3) - x.at(q1)), 14);
      context.moveTo(x.at(low), y);
      context.lineTo(x.at(q1), y);
      context.moveTo(x.at(q3), y);
      context.lineTo(x.at(high), y);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x.at(q2), y - 7);
    context.lineTo(x.at(q2), y + 7);
    context.stroke();
    context.fillStyle = palette.ink;
    context.textAlign = "left";
    context.fillText(number_(q2), right + 12, y);
    if (width >= 520) {
      context.fillStyle = palette.soft;
      context.textAlign = "right";
      context.fillText(String(values.length), width - 26, y);
    }
  }

  paintCurves(context, width) {
    const [across, high] = this.grid(width);
    const wide = width / across;
    this.found.forEach((group, place) => {
      const left = (place % across) * wide;
      const top = Math.floor(place / across) * high;
      const x = new Scale(...this.domain(), left + 34, left + wide - 12);
      const y = new Scale(0, 1, top + high - 26, top + (this.by ? 26 : 10));
      axes(context, x, y, this.metric.unit, "");
      if (this.by) {
        context.fillStyle = palette.ink;
        context.textAlign = "left";
        context.textBaseline = "top";
        context.fillText(
          clip(
            context,
            `${batchName(group.batch, this.by)}${group.batch.only ? "" : ` ${this.by.unit}`}`,
            wide - 30,
          ),
          x.from,
          top + 4,
        );
      }
      for (const number of this.shown) this.curve(context, x, y, group.cases[number], number);
    });
  }

  curve(context, x, y, values, number) {
    if (!values.length) return;
    context.strokeStyle = caseColour(number);
    context.lineWidth = 1.7;
    context.setLineDash([[], [6, 3], [2, 2], [7, 2, 2, 2]][data.cases[number].mark % 4]);
    context.beginPath();
    context.moveTo(x.from, y.at(0));
    values.forEach((value, i) => {
      context.lineTo(x.at(value), y.at(i / values.length));
      context.lineTo(x.at(value), y.at((i + 1) / values.length));
    });
    context.lineTo(x.to, y.at(1));
    context.stroke();
    context.setLineDash([]);
  }
}

const mean = (values) =>
  values.length ? values.reduce((a, b) => a + b, 0) / values.length : undefined;

const number_ = (value) => formatNumber(value, 3);
