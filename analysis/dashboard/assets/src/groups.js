// Groups of runs: by case, by campaign, or by the values of a factor.

import { batches, columns, data, formatNumber, named } from "./data.js";
import { scaleOf } from "./scales.js";

const MOST_VALUES = 12; // More values of a factor are sorted into ranges.
const RANGES = 5;

// Values of a column as { low, high, name }: one each, or ranges from its least value on.
export function bins(column) {
  if (column.values && column.values.length <= MOST_VALUES) {
    return batches(column).map((batch) => ({ ...batch, name: named(batch.low, column, 3) }));
  }
  const { log } = scaleOf(column);
  const [a, b] = [column.low, column.high].map((v) => (log ? Math.log(v) : v));
  const end = (i) => {
    const v = a + (i / RANGES) * (b - a);
    return Number((log ? Math.exp(v) : v).toPrecision(3));
  };
  return Array.from({ length: RANGES }, (_, i) => {
    const [low, high] = [end(i), end(i + 1)];
    return {
      low,
      high,
      name: `${shortNumber(low)}–${shortNumber(high)}`,
      first: i === 0,
      last: i + 1 === RANGES,
    };
  });
}

// The place of the bin that holds a value. Rounded ends leave none of the values out.
export function binOf(value, all) {
  if (value === null) return -1;
  if (all[0]?.only) return all.findIndex(({ low }) => low === value);
  return all.findIndex(({ high, last }) => last || value <= high);
}

const shortNumber = (value) => formatNumber(value, 2);

const CASE = ":case";
const CAMPAIGN = ":campaign";

// What runs can be grouped by beside factors.
export const ways = [
  { key: CASE, name: "case" },
  ...(data.campaigns.length > 1 ? [{ key: CAMPAIGN, name: "campaign" }] : []),
];

export function isWay(key) {
  const column = columns.get(key);
  return ways.some((way) => way.key === key) || Boolean(column && column.role !== "metric");
}

// { names, of }: of(row) is the place of the row's group, -1 for none.
export function grouped(key) {
  if (key === CASE) {
    return { names: data.cases.map(({ name }) => name), of: (row) => data.case[row] };
  }
  if (key === CAMPAIGN) {
    return { names: data.campaigns.map(({ name }) => name), of: (row) => data.campaign[row] };
  }
  const column = columns.get(key);
  const all = bins(column);
  const unit = column.unit && !all[0].only && column.unit !== "bytes" ? ` ${column.unit}` : "";
  return {
    names: all.map(({ name }) => `${column.label} ${name}${unit}`),
    of: (row) => binOf(column.v[row], all),
  };
}
