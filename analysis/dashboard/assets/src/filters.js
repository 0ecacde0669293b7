// Filters: cases, verdicts, and every factor with the spread of its values.

import { palette, Surface, swatch } from "./canvas.js";
import { data, element, factors, formatNumber, named, rows, shown } from "./data.js";
import { filtered, numbers, picked, refilter, state, views } from "./state.js";

const BARS = 24;
const DIGITS = 7; // One more than the data has.

class Choices {
  // Buttons that stay pressed; `chosen` is a set in the state.
  constructor(host, items, chosen, parameter) {
    this.parameter = parameter;
    this.items = items;
    this.chosen = chosen;
    this.buttons = items.map(({ value, name, what, number }) => {
      const counted = element("span", { class: "n" });
      const button = element(
        "button",
        { type: "button", class: "choice", "aria-pressed": "true" },
        number === undefined ? null : swatch(number),
        element("span", { class: "word" }, name, what ? element("small", {}, what) : null),
        counted,
      );
      button.addEventListener("click", (event) => this.press(value, event));
      button.counted = counted;
      host.append(button);
      return button;
    });
    views.push(this);
  }

  // One more or one less; with Shift or Alt this one alone.
  press(value, event) {
    if (event.shiftKey || event.altKey) {
      this.chosen.clear();
      this.chosen.add(value);
    } else if (this.chosen.has(value)) this.chosen.delete(value);
    else this.chosen.add(value);
    this.changed();
    refilter();
  }

  changed() {}

  toAddress(address) {
    if (this.items.every(({ value }) => this.chosen.has(value))) return;
    const shownItems = this.items.filter(({ value }) => this.chosen.has(value));
    for (const { name } of shownItems) address.append(this.parameter, name);
    if (!shownItems.length) address.append(this.parameter, "");
  }

  fromAddress(address) {
    const wanted = new Set(address.getAll(this.parameter));
    const known = this.items.filter(({ name }) => wanted.has(name));
    const all = !known.length && !wanted.has("");
    for (const { value } of this.items) this.chosen.delete(value);
    for (const { value } of all ? this.items : known) this.chosen.add(value);
  }

  draw() {
    this.items.forEach(({ value, count }, place) => {
      this.buttons[place].setAttribute("aria-pressed", String(this.chosen.has(value)));
      this.buttons[place].counted.textContent = count();
    });
  }

  theme() {
    this.items.forEach(({ number }, place) => {
      const old = this.buttons[place].querySelector(".swatch");
      if (old) old.replaceWith(swatch(number));
    });
  }
}

function countWhere(test) {
  let count = 0;
  for (const row of rows) if (filtered[row] && test(row)) count += 1;
  return String(count);
}

class ValueFilter extends Choices {
  constructor(host, column) {
    const chosen = new Set(column.values);
    const items = column.values.map((value) => ({
      value,
      name: named(value, column),
      count: () => countWhere((row) => column.v[row] === value),
    }));
    super(host, items, chosen);
    this.column = column;
  }

  changed() {
    if (this.chosen.size === this.column.values.length) state.values.delete(this.column.key);
    else state.values.set(this.column.key, this.chosen);
  }

  sync() {
    for (const value of this.column.values) this.chosen.add(value);
  }

  // What an address calls the value.
  word(value) {
    return this.column.words ? this.column.words[value] : value;
  }

  toAddress(address) {
    if (!state.values.has(this.column.key)) return;
    const values = this.column.values.filter((value) => this.chosen.has(value));
    address.append("of", [this.column.key, ...values.map((v) => this.word(v))].join("~"));
  }

  fromAddress(address) {
    this.sync();
    const words = wordsOf(address, "of", this.column.key);
    if (words) {
      const wanted = this.column.words ? words : numbers(words);
      const known = this.column.values.filter((value) => wanted.includes(this.word(value)));
      if (known.length || !words.length) {
        for (const value of this.column.values) {
          if (!known.includes(value)) this.chosen.delete(value);
        }
      }
    }
    this.changed();
  }
}

// The words after the factor's key in a parameter such as in=KEY~1~2; null without.
function wordsOf(address, parameter, key) {
  const found = address
    .getAll(parameter)
    .map((text) => text.split("~"))
    .find((words) => words[0] === key);
  return found ? found.slice(1) : null;
}

class RangeFilter {
  constructor(host, column) {
    this.column = column;
    this.text = element("output", { class: "range" });
    this.place = element("div", { class: "bars" });
    this.ends = ["least", "greatest"].map((which, end) => {
      const input = element("input", {
        type: "range",
        min: 0,
        max: 1000,
        step: 1,
        value: end * 1000,
        "aria-label": `${column.label}, ${which}`,
      });
      input.addEventListener("input", () => this.move(end));
      return input;
    });
    host.append(this.text, this.place, element("div", { class: "ends" }, ...this.ends));
    this.surface = new Surface(this.place, 34, (...all) => this.paint(...all));
    views.push(this);
  }

  value(end) {
    const range = state.ranges.get(this.column.key);
    return range ? range[end] : [this.column.low, this.column.high][end];
  }

  slid(end) {
    const { low, high } = this.column;
    const part = Number(this.ends[end].value) / 1000;
    if (part === 0 || part === 1) return part ? high : low;
    return Number((low + part * (high - low)).toPrecision(DIGITS));
  }

  choose(range) {
    const { key, low, high } = this.column;
    if (range[0] <= low && range[1] >= high) state.ranges.delete(key);
    else state.ranges.set(key, range);
  }

  toAddress(address) {
    const { key, low, high } = this.column;
    const range = state.ranges.get(key);
    if (!range) return;
    const ends = [range[0] <= low ? "" : range[0], range[1] >= high ? "" : range[1]];
    address.append("in", [key, ...ends].join("~"));
  }

  fromAddress(address) {
    state.ranges.delete(this.column.key);
    const { key, low, high } = this.column;
    const words = wordsOf(address, "in", key) || [];
    const [least, greatest] = words.length === 2 ? numbers(words) : [null, null];
    const range = [Math.max(low, least ?? low), Math.min(high, greatest ?? high)];
    if (range[0] <= range[1]) this.choose(range);
    for (const [end, input] of this.ends.entries()) {
      const part = (this.value(end) - low) / (high - low);
      input.value = Number.isFinite(part) ? Math.round(part * 1000) : end * 1000;
    }
  }

  move(end) {
    const other = this.ends[1 - end];
    const mine = this.ends[end];
    if (end === 0 && Number(mine.value) > Number(other.value)) mine.value = other.value;
    if (end === 1 && Number(mine.value) < Number(other.value)) mine.value = other.value;
    const range = [this.value(0), this.value(1)];
    range[end] = this.slid(end);
    if (range[0] > range[1]) range[1 - end] = range[end];
    this.choose(range);
    refilter();
  }

  sync() {
    this.ends[0].value = 0;
    this.ends[1].value = 1000;
  }

  draw() {
    const [low, high] = [this.value(0), this.value(1)];
    this.text.textContent = `${formatNumber(low, 3)}–${formatNumber(high, 3)} ${this.column.unit}`;
    for (const [end, input] of this.ends.entries()) {
      input.setAttribute("aria-valuetext", shown(this.value(end), this.column.unit, 3));
    }
    this.surface.draw();
  }

  paint(context, width, height) {
    const { low, high, v } = this.column;
    const all = new Array(BARS).fill(0);
    const kept = new Array(BARS).fill(0);
    for (const row of rows) {
      if (v[row] === null) continue;
      const bar = Math.min(BARS - 1, Math.floor(((v[row] - low) / (high - low || 1)) * BARS));
      all[bar] += 1;
      kept[bar] += picked[row];
    }
    const most = Math.max(1, ...all);
    const wide = width / BARS;
    for (const [counts, colour] of [
      [all, palette.line],
      [kept, palette.accent],
    ]) {
      context.fillStyle = colour;
      counts.forEach((count, bar) => {
        const tall = (count / most) * (height - 2);
        if (tall) {
          context.fillRect(bar * wide, height - Math.max(1, tall), wide - 1, Math.max(1, tall));
        }
      });
    }
  }
}

export function makeFilters() {
  new Choices(
    document.getElementById("cases"),
    data.cases.map(({ name, what }, number) => ({
      value: number,
      name,
      what,
      number,
      count: () => countWhere((row) => data.case[row] === number),
    })),
    state.cases,
    "case",
  );
  document.getElementById("campaign-section").hidden = data.campaigns.length < 2;
  new Choices(
    document.getElementById("campaigns"),
    data.campaigns.map(({ name }, number) => ({
      value: number,
      name,
      count: () => countWhere((row) => data.campaign[row] === number),
    })),
    state.campaigns,
    "campaign",
  );
  const there = data.verdicts
    .map((_, number) => number)
    .filter((number) => data.verdict.includes(number));
  document.getElementById("verdict-section").hidden = there.length < 2 && there[0] === 0;
  new Choices(
    document.getElementById("verdicts"),
    there.map((number) => ({
      value: number,
      name: data.verdicts[number],
      count: () => countWhere((row) => data.verdict[row] === number),
    })),
    state.verdicts,
    "verdict",
  );
  const host = document.getElementById("factors");
  for (const column of factors) {
    if (column.low === column.high) continue;
    const box = element("div", { class: "factor" }, element("h3", {}, column.label));
    host.append(box);
    if (column.values) {
      const choices = element("div", { class: "choices across" });
      box.append(choices);
      new ValueFilter(choices, column);
    } else new RangeFilter(box, column);
  }
  host.parentElement.hidden = !host.children.length;
}
