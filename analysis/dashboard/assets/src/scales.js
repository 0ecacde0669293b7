// The scale and the range of an axis, chosen from its values by the rules of the report's
// figures (analysis/figures/scales.py).

import { isOk, quantile, rows } from "./data.js";

const LOWEST_PART = 0.1;
const LEAST_PART = 1 / 3; // What the values within the fences take of an axis at least.
const FENCE = 3; // Interquartile ranges beyond a quartile at which a value is far out.
const LEAST_VALUES = 5;

// The range of a linear axis without outliers; null if it shows all values. Sorted values.
export function cut(sorted) {
  if (sorted.length < LEAST_VALUES) return null;
  const [q1, q3] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const reach = FENCE * (q3 - q1);
  const kept = sorted.filter((v) => v >= q1 - reach && v <= q3 + reach);
  const [low, high] = [kept[0], kept[kept.length - 1]];
  const whole = sorted[sorted.length - 1] - sorted[0];
  if (kept.length === sorted.length || high === low || high - low >= LEAST_PART * whole) {
    return null;
  }
  return { low, high };
}

// Whether half of the values would share the lowest tenth of a linear axis, and not of a
// logarithmic one. Sorted values.
export function crowded(sorted) {
  if (sorted.length < LEAST_VALUES || sorted[0] <= 0) return false;
  const part = (values) => {
    const [low, high] = [values[0], values[values.length - 1]];
    return high > low ? (quantile(values, 0.5) - low) / (high - low) : 1;
  };
  const logarithms = sorted.map(Math.log);
  return part(sorted) < LOWEST_PART && part(logarithms) >= LOWEST_PART && cut(logarithms) === null;
}

const known = new Map();

// { log, cut } of a column, by its runs that are ok.
export function scaleOf(column) {
  if (!known.has(column)) {
    const values = rows.filter((row) => isOk(row) && column.v[row] !== null);
    const sorted = values.map((row) => column.v[row]).sort((a, b) => a - b);
    const log = !column.words && crowded(sorted);
    known.set(column, { log, cut: log || column.words ? null : cut(sorted) });
  }
  return known.get(column);
}
