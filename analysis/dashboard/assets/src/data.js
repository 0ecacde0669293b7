// The runs, by column. A row is a run's number; everything else refers to it.
export const data = JSON.parse(document.getElementById("data").textContent);
export const rows = Array.from({ length: data.count }, (_, row) => row);
export const columns = new Map(data.columns.map((column) => [column.key, column]));
// Factors of words have the places of their words in `words` as values.
export const factors = data.columns.filter(({ role }) => role === "factor" || role === "word");
const FEW = 8; // So many values of a factor are buttons rather than a range.

for (const column of data.columns) {
  const known = column.v.filter((value) => value !== null);
  column.known = known;
  column.low = known.reduce((a, b) => Math.min(a, b), Infinity);
  column.high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (column.words) {
    column.values = [...column.words.keys()];
    continue;
  }
  const values = new Set();
  for (const value of known) {
    values.add(value);
    if (values.size > FEW) break;
  }
  // Values with more digits were spread over a range, even if they are few.
  const listed = values.size <= FEW && [...values].every((v) => v === Number(v.toPrecision(3)));
  column.values = listed ? [...values].sort((a, b) => a - b) : null;
}

export const isOk = (row) => data.verdict[row] === 0;

export function full(column) {
  return column.unit ? `${column.label} [${column.unit}]` : column.label;
}

// Four digits that count, in as few letters as possible.
// `1 run`, `2 runs`.
export const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

export function formatNumber(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (digits > 4 && Number.isInteger(value) && size < 1e12) {
    return String(value)
      .replace(/\B(?=(\d{3})+$)/g, "\u202f")
      .replace("-", "−");
  }
  if (size >= 1e6 || size < 1e-4) {
    return value
      .toExponential(Math.max(0, digits - 2))
      .replace("e+", "e")
      .replace("-", "−");
  }
  const text = Number(value.toPrecision(digits)).toString();
  return text.replace("-", "−");
}

// What a column's value is in words: sizes in kB and MB.
export function shown(value, unit, digits = 4) {
  if (value === null || value === undefined) return "–";
  if (unit === "bytes") {
    for (const [step, name] of [
      [1e9, "GB"],
      [1e6, "MB"],
      [1e3, "kB"],
    ]) {
      if (Math.abs(value) >= step) return `${formatNumber(value / step, digits)} ${name}`;
    }
    return `${formatNumber(value, digits)} B`;
  }
  return unit ? `${formatNumber(value, digits)} ${unit}` : formatNumber(value, digits);
}

// The column of numbers of this name, which can be an axis; undefined if there is none.
export function ofNumbers(key) {
  const column = columns.get(key);
  return column?.words ? undefined : column;
}

// What a column's value is in words, those of a factor of words included.
export function named(value, column, digits = 4) {
  if (column.words) return column.words[value] ?? "–";
  return shown(value, column.unit, digits);
}

// Linear between neighbours, as in the report's tables; values sorted, at least one.
export function quantile(sorted, part) {
  const place = (sorted.length - 1) * part;
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low);
}

// Steps of 1, 2 or 5 times a power of ten, about `count` of them from low to high.
export function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((s) => power * s >= raw * 0.75) || 10);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

// Even batches over all values: the least step that covers them (thesis, sec. 3.2).
export function batches(column) {
  if (column.values) return column.values.map((value) => ({ low: value, high: value, only: true }));
  const signed = column.low < 0;
  const largest = signed ? Math.max(-column.low, column.high) : column.high;
  const count = 5;
  const width = ((signed ? 2 : 1) * largest) / count || 1;
  const power = 10 ** Math.floor(Math.log10(width));
  const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
  const step = power * (steps.find((s) => power * s * (1 + 1e-9) >= width) || 10);
  const first = signed ? -count / 2 : 0;
  return Array.from({ length: count }, (_, i) => ({
    low: Number((step * (first + i)).toPrecision(12)),
    high: Number((step * (first + i + 1)).toPrecision(12)),
    first: i === 0,
  }));
}

export function inBatch(value, batch) {
  if (batch.only) return value === batch.low;
  return value <= batch.high && (value > batch.low || (batch.first && value === batch.low));
}

export function batchName(batch, column) {
  if (batch.only) return named(batch.low, column);
  return `${formatNumber(batch.low)} to ${formatNumber(batch.high)}`;
}

// Parts of the page, made in one call: element("td", { class: "n" }, "text", child).
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// The details of a run lie deflated in chunks, a line each; a chunk is inflated once.
let lines = null;
const inflated = new Map();

export async function details(row) {
  const place = Math.floor(row / data.chunk);
  if (!inflated.has(place)) inflated.set(place, inflate(place));
  return (await inflated.get(place))[row % data.chunk];
}

async function inflate(place) {
  lines = lines || document.getElementById("details").textContent.trim().split("\n");
  const bytes = Uint8Array.from(atob(lines[place].trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
