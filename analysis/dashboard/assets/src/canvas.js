// Drawing: sharp on any screen, in the colours of the theme.
import { data, element } from "./data.js";

const LIGHT = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#b8559a",
  "#b07d00",
  "#3a9bd9",
  "#6b6b6b",
  "#7a4fd0",
];
const DARK = [
  "#4aa8e8",
  "#f28a4b",
  "#2fc59a",
  "#e39ccb",
  "#e8bf4f",
  "#9bd3f7",
  "#b3b3b3",
  "#b59cf5",
];
const SHAPES = ["circle", "square", "triangle", "diamond", "down", "bar"];
export const palette = {};

export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "soft", "faint", "line", "paper", "accent", "wash", "bad"]) {
    palette[name] = style.getPropertyValue(`--${name}`).trim();
  }
  palette.series = style.getPropertyValue("--scheme").trim() === "dark" ? DARK : LIGHT;
  palette.font = `11.5px ${style.getPropertyValue("--sans")}`;
}

// Cases of one name in several campaigns have one colour, and a mark per campaign.
export const caseColour = (number) =>
  palette.series[data.cases[number].colour % palette.series.length];
export const caseShape = (number) => SHAPES[data.cases[number].mark % SHAPES.length];

// A canvas as wide as its place; `draw(context, width, height)` in CSS pixels.
export class Surface {
  constructor(host, height, draw) {
    this.canvas = element("canvas");
    host.append(this.canvas);
    this.height = height;
    this.paint = draw;
    this.width = 0;
    new ResizeObserver(() => this.fit()).observe(host);
    this.host = host;
  }

  fit() {
    const width = Math.floor(this.host.clientWidth);
    if (width !== this.width && width > 0) {
      this.width = width;
      this.draw();
    }
  }

  draw() {
    if (!this.width) this.width = Math.floor(this.host.clientWidth);
    if (!this.width) return;
    const height = typeof this.height === "function" ? this.height(this.width) : this.height;
    const ratio = window.devicePixelRatio || 1;
    const wide = Math.round(this.width * ratio);
    const high = Math.round(height * ratio);
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
      this.canvas.style.width = `${this.width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, height);
    context.font = palette.font;
    this.paint(context, this.width, height);
  }
}

// Where a pointer is, in CSS pixels of the canvas.
export function place(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// Adds a case's mark to the path that has been begun.
export function mark(context, shape, x, y, r) {
  if (shape === "circle") {
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
  } else if (shape === "square") {
    context.rect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76);
  } else if (shape === "bar") {
    context.rect(x - r * 0.5, y - r * 1.2, r, r * 2.4);
  } else {
    const up = shape === "down" ? -1 : 1;
    context.moveTo(x, y - up * r * 1.25);
    context.lineTo(x + r * 1.15, y + (shape === "diamond" ? 0 : up * r * 0.9));
    if (shape === "diamond") context.lineTo(x, y + r * 1.25);
    context.lineTo(x - r * 1.15, y + (shape === "diamond" ? 0 : up * r * 0.9));
    context.closePath();
  }
}

// The three parts of a colour such as #fcfcfb, from 0 to 255.
export const rgb = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

// A run that is not ok is a cross.
export function cross(context, x, y, r) {
  context.moveTo(x - r, y - r);
  context.lineTo(x + r, y + r);
  context.moveTo(x - r, y + r);
  context.lineTo(x + r, y - r);
}

export function swatch(number) {
  const canvas = element("canvas", { class: "swatch", "aria-hidden": "true" });
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.height = 14 * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.fillStyle = caseColour(number);
  context.beginPath();
  mark(context, caseShape(number), 7, 7, 4.4);
  context.fill();
  return canvas;
}
