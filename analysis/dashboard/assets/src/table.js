// The runs that are picked, as a table that draws only the lines in sight.

import { swatch } from "./canvas.js";
import { columns, data, element, factors, named, rows } from "./data.js";
import { openRun } from "./run.js";
import { changed, hover, picked, state, views } from "./state.js";

const ROW = 27;
const SPARE = 6; // Lines drawn beyond the edges.

// As many decimals for a whole column as its largest value needs for four digits.
function decimals(column) {
  if (column.known.every((value) => Number.isInteger(value))) return 0;
  const size = Math.max(Math.abs(column.low), Math.abs(column.high)) || 1;
  return Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(size))));
}

function even(value, places) {
  return value === null ? "–" : value.toFixed(places).replace("-", "−");
}

export class Runs {
  constructor(host) {
    const metrics = [...data.metrics, "goodput_mbps", data.start.y1, "retransmission_ratio"];
    const keys = [...factors.map((f) => f.key), ...metrics.filter((key) => columns.has(key))];
    this.columns = [...new Set(keys)].map((key) => columns.get(key));
    for (const column of this.columns) column.decimals = decimals(column);
    this.sort = { key: null, down: false };
    this.active = 0;
    this.note = element("span", { class: "soft" });
    this.save = element(
      "button",
      { type: "button", onclick: () => this.download() },
      "Save as CSV",
    );
    host.append(element("div", { class: "head" }, element("h2", {}, "Runs"), this.note, this.save));
    this.table = element("table");
    this.scroll = element(
      "div",
      {
        class: "scroll",
        tabindex: "0",
        role: "region",
        "aria-label": "Table of runs; arrows move, Enter opens",
      },
      this.table,
    );
    host.append(this.scroll);
    this.scroll.addEventListener("scroll", () => this.lines(), { passive: true });
    this.scroll.addEventListener("keydown", (event) => this.key(event));
    this.body = element("tbody");
    this.table.append(this.headLine(), this.body);
    new ResizeObserver(() => this.lines()).observe(this.scroll);
    views.push(this);
  }

  headLine() {
    const heads = [
      ["case", "case", ""],
      ["point", "point", ""],
      ...this.columns.map((c) => [c.key, c.label, c.unit]),
      ["verdict", "verdict", ""],
    ];
    this.heads = new Map();
    return element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...heads.map(([key, name, unit]) => {
          const button = element(
            "button",
            { type: "button" },
            name.replace(/path (\d)/, "path\u00a0$1"),
            unit ? element("small", {}, unit) : null,
          );
          const cell = element("th", { scope: "col", "aria-sort": "none" }, button);
          this.heads.set(key, cell);
          button.addEventListener("click", () => {
            this.sortBy(key, this.sort.key === key && !this.sort.down);
            this.draw();
            changed();
          });
          return cell;
        }),
      ),
    );
  }

  // key : of a heading, or null for the order of the runs
  sortBy(key, down) {
    this.sort = { key, down };
    for (const [other, cell] of this.heads) {
      const order = down ? "descending" : "ascending";
      cell.setAttribute("aria-sort", other === key ? order : "none");
    }
  }

  toAddress(address) {
    const { key, down } = this.sort;
    if (key) address.set("sort", `${down ? "-" : ""}${key}`);
  }

  fromAddress(address) {
    const text = address.get("sort") || "";
    const down = text.startsWith("-");
    const key = down ? text.slice(1) : text;
    if (this.heads.has(key)) this.sortBy(key, down);
    else this.sortBy(null, false);
  }

  draw() {
    state.order = rows.filter((row) => picked[row]);
    const { key, down } = this.sort;
    if (key) {
      const own = columns.has(key) ? columns.get(key).v : data[key];
      // Missing values come last either way.
      state.order.sort((a, b) => {
        if (own[a] === null || own[b] === null) {
          return (own[a] === null) - (own[b] === null) || a - b;
        }
        return (down ? own[b] - own[a] : own[a] - own[b]) || a - b;
      });
    }
    this.active = Math.min(this.active, Math.max(0, state.order.length - 1));
    this.note.textContent = `${state.order.length} of ${data.count}`;
    this.save.disabled = !state.order.length;
    this.lines();
  }

  mark() {
    for (const line of this.body.querySelectorAll("tr[data-row]")) {
      const row = Number(line.dataset.row);
      line.classList.toggle("open", row === state.open);
      line.classList.toggle("hover", row === state.hover);
    }
  }

  lines() {
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - SPARE);
    const count = Math.ceil(this.scroll.clientHeight / ROW) + 2 * SPARE;
    const last = Math.min(state.order.length, first + count);
    const wide = this.columns.length + 3;
    const gap = (high) =>
      element(
        "tr",
        { "aria-hidden": "true" },
        element("td", { colspan: wide, class: "gap", style: `height:${high}px` }),
      );
    const made = state.order.slice(first, last).map((row, i) => this.line(row, first + i));
    this.body.replaceChildren(
      ...(first ? [gap(first * ROW)] : []),
      ...made,
      ...(last < state.order.length ? [gap((state.order.length - last) * ROW)] : []),
    );
    this.mark();
  }

  line(row, place) {
    const line = element(
      "tr",
      { "data-row": row, class: place === this.active ? "active" : "" },
      element("td", { class: "case" }, swatch(data.case[row]), data.cases[data.case[row]].name),
      element("td", { class: "n" }, String(data.point[row])),
      ...this.columns.map((c) =>
        element(
          "td",
          { class: "n" },
          c.words || c.unit === "bytes" ? named(c.v[row], c) : even(c.v[row], c.decimals),
        ),
      ),
      element(
        "td",
        { class: `verdict ${data.verdicts[data.verdict[row]]}` },
        data.verdicts[data.verdict[row]],
      ),
    );
    line.addEventListener("click", () => {
      this.active = place;
      openRun(row);
    });
    line.addEventListener("pointerenter", () => hover(row));
    line.addEventListener("pointerleave", () => hover(null));
    return line;
  }

  key(event) {
    if (event.target !== this.scroll) return;
    const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 2);
    const step = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    }[event.key];
    if (event.key === "Enter" && state.order.length) openRun(state.order[this.active]);
    if (step === undefined) return;
    event.preventDefault();
    this.active = Math.min(state.order.length - 1, Math.max(0, this.active + step));
    const top = this.active * ROW;
    const head = this.table.tHead.offsetHeight;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    if (top + ROW > this.scroll.scrollTop + this.scroll.clientHeight - head) {
      this.scroll.scrollTop = top + ROW - this.scroll.clientHeight + head;
    }
    this.lines();
    hover(state.order[this.active]);
  }

  // The picked runs with all their columns.
  download() {
    const own = data.columns.filter((c) => !c.key.startsWith("|"));
    const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [
      ["id", "case", "point", "repetition", "verdict", ...own.map((c) => c.key)].join(","),
    ];
    for (const row of state.order) {
      const text = (c) => (c.words ? cell(c.words[c.v[row]]) : String(c.v[row]));
      const values = own.map((c) => (c.v[row] === null ? "" : text(c)));
      lines.push(
        [
          data.id[row],
          cell(data.cases[data.case[row]].name),
          data.point[row],
          data.repetition[row],
          data.verdicts[data.verdict[row]],
          ...values,
        ].join(","),
      );
    }
    const link = element("a", {
      download: "runs.csv",
      href: URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" })),
    });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
