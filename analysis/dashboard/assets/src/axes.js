// Scales and axes.

import { palette } from "./canvas.js";
import { formatNumber, shown, ticks } from "./data.js";

export class Scale {
  // From low..high of the data to from..to of the screen.
  constructor(low, high, from, to, log = false) {
    Object.assign(this, { low, high, from, to, log });
    this.a = log ? Math.log10(low) : low;
    this.b = log ? Math.log10(high) : high;
  }

  at(value) {
    const v = this.log ? Math.log10(value) : value;
    return this.from + ((v - this.a) / (this.b - this.a || 1)) * (this.to - this.from);
  }

  back(place) {
    const v = this.a + ((place - this.from) / (this.to - this.from)) * (this.b - this.a);
    return this.log ? 10 ** v : v;
  }

  ticks(count) {
    if (!this.log) return ticks(this.low, this.high, count);
    const decades = [];
    for (let p = Math.floor(this.a); p <= Math.ceil(this.b); p += 1) {
      for (const m of this.b - this.a > 2.5 ? [1] : [1, 2, 5]) {
        const value = m * 10 ** p;
        if (value >= this.low * 0.999 && value <= this.high * 1.001) decades.push(value);
      }
    }
    return decades.length > 1 ? decades : [this.low, this.high];
  }
}

// The range that a plot shows of a column, with a small margin; it begins at 0 if 0 is near.
export function extent(column, log) {
  const { high } = column;
  let { low } = column;
  if (log) return [low / 1.15, high * 1.15];
  if (low >= 0 && low < 0.35 * high) low = 0;
  const margin = (high - low || Math.abs(high) || 1) * 0.04;
  return [low === 0 ? -margin * 0.5 : low - margin, high + margin];
}

export const canLog = (column) => column.low > 0 && column.high / column.low > 3;

// Hairlines at the ticks, their numbers outside.
// `last` follows the last number of the horizontal axis.
export function axes(context, x, y, unitX, unitY, last = "") {
  context.lineWidth = 1;
  context.strokeStyle = palette.line;
  context.fillStyle = palette.soft;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const high = Math.abs(y.to - y.from);
  context.beginPath();
  for (const tick of y.ticks(Math.max(2, high / 40))) {
    const at = Math.round(y.at(tick)) + 0.5;
    context.moveTo(x.from, at);
    context.lineTo(x.to, at);
    context.fillText(tickText(tick, unitY), x.from - 7, at);
  }
  context.stroke();
  context.textBaseline = "top";
  context.textAlign = "center";
  context.beginPath();
  const across = x.ticks(Math.max(2, Math.abs(x.to - x.from) / 62));
  across.forEach((tick, i) => {
    const at = Math.round(x.at(tick)) + 0.5;
    context.moveTo(at, y.from);
    context.lineTo(at, y.from + 4);
    const text = tickText(tick, unitX);
    context.fillText(last && i === across.length - 1 ? `${text} ${last}` : text, at, y.from + 7);
  });
  context.stroke();
  if (y.low < 0 && y.high > 0 && !y.log) {
    context.strokeStyle = palette.faint;
    context.beginPath();
    context.moveTo(x.from, Math.round(y.at(0)) + 0.5);
    context.lineTo(x.to, Math.round(y.at(0)) + 0.5);
    context.stroke();
  }
}

export const tickText = (value, unit) =>
  unit === "bytes" ? shown(value, unit) : formatNumber(value);

// The width that the numbers of a vertical axis need.
export function axisWidth(context, scale, unit) {
  const widths = scale.ticks(6).map((t) => context.measureText(tickText(t, unit)).width);
  return Math.ceil(Math.max(18, ...widths)) + 11;
}
