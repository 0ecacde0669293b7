(() => {
  // analysis/dashboard/assets/src/data.js
  var data = JSON.parse(document.getElementById("data").textContent);
  var rows = Array.from({ length: data.count }, (_, row) => row);
  var columns = new Map(data.columns.map((column) => [column.key, column]));
  var factors = data.columns.filter(({ role }) => role === "factor" || role === "word");
  var FEW = 8;
  for (const column of data.columns) {
    const known2 = column.v.filter((value) => value !== null);
    column.known = known2;
    column.low = known2.reduce((a, b) => Math.min(a, b), Infinity);
    column.high = known2.reduce((a, b) => Math.max(a, b), -Infinity);
    if (column.words) {
      column.values = [...column.words.keys()];
      continue;
    }
    const values = /* @__PURE__ */ new Set();
    for (const value of known2) {
      values.add(value);
      if (values.size > FEW) break;
    }
    const listed = values.size <= FEW && [...values].every((v) => v === Number(v.toPrecision(3)));
    column.values = listed ? [...values].sort((a, b) => a - b) : null;
  }
  var isOk = (row) => data.verdict[row] === 0;
  function full(column) {
    return column.unit ? `${column.label} [${column.unit}]` : column.label;
  }
  var many = (count2, noun) => `${count2} ${noun}${count2 === 1 ? "" : "s"}`;
  function formatNumber(value, digits = 4) {
    if (value === null || value === void 0 || Number.isNaN(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (digits > 4 && Number.isInteger(value) && size < 1e12) {
      return String(value).replace(/\B(?=(\d{3})+$)/g, " ").replace("-", "−");
    }
    if (size >= 1e6 || size < 1e-4) {
      return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e").replace("-", "−");
    }
    const text = Number(value.toPrecision(digits)).toString();
    return text.replace("-", "−");
  }
  function shown(value, unit, digits = 4) {
    if (value === null || value === void 0) return "–";
    if (unit === "bytes") {
      for (const [step2, name] of [
        [1e9, "GB"],
        [1e6, "MB"],
        [1e3, "kB"]
      ]) {
        if (Math.abs(value) >= step2) return `${formatNumber(value / step2, digits)} ${name}`;
      }
      return `${formatNumber(value, digits)} B`;
    }
    return unit ? `${formatNumber(value, digits)} ${unit}` : formatNumber(value, digits);
  }
  function ofNumbers(key) {
    const column = columns.get(key);
    return column?.words ? void 0 : column;
  }
  function named(value, column, digits = 4) {
    if (column.words) return column.words[value] ?? "–";
    return shown(value, column.unit, digits);
  }
  function quantile(sorted, part) {
    const place2 = (sorted.length - 1) * part;
    const low = Math.floor(place2);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (sorted[high] - sorted[low]) * (place2 - low);
  }
  function ticks(low, high, count2) {
    if (!(high > low)) return [low];
    const raw = (high - low) / Math.max(1, count2);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step2 = power * ([1, 2, 5, 10].find((s) => power * s >= raw * 0.75) || 10);
    const found = [];
    for (let i = Math.ceil(low / step2 - 1e-9); i * step2 <= high + step2 * 1e-9; i += 1) {
      found.push(Number((i * step2).toPrecision(12)));
    }
    return found;
  }
  function batches(column) {
    if (column.values) return column.values.map((value) => ({ low: value, high: value, only: true }));
    const signed = column.low < 0;
    const largest = signed ? Math.max(-column.low, column.high) : column.high;
    const count2 = 5;
    const width = (signed ? 2 : 1) * largest / count2 || 1;
    const power = 10 ** Math.floor(Math.log10(width));
    const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
    const step2 = power * (steps.find((s) => power * s * (1 + 1e-9) >= width) || 10);
    const first = signed ? -count2 / 2 : 0;
    return Array.from({ length: count2 }, (_, i) => ({
      low: Number((step2 * (first + i)).toPrecision(12)),
      high: Number((step2 * (first + i + 1)).toPrecision(12)),
      first: i === 0
    }));
  }
  function inBatch(value, batch) {
    if (batch.only) return value === batch.low;
    return value <= batch.high && (value > batch.low || batch.first && value === batch.low);
  }
  function batchName(batch, column) {
    if (batch.only) return named(batch.low, column);
    return `${formatNumber(batch.low)} to ${formatNumber(batch.high)}`;
  }
  function element(name, attributes = {}, ...children) {
    const made2 = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made2.addEventListener(key.slice(2), value);
      else if (value === true) made2.setAttribute(key, "");
      else if (value !== false && value !== null) made2.setAttribute(key, value);
    }
    made2.append(...children.filter((child) => child !== null && child !== void 0));
    return made2;
  }
  var lines = null;
  var inflated = /* @__PURE__ */ new Map();
  async function details(row) {
    const place2 = Math.floor(row / data.chunk);
    if (!inflated.has(place2)) inflated.set(place2, inflate(place2));
    return (await inflated.get(place2))[row % data.chunk];
  }
  async function inflate(place2) {
    lines = lines || document.getElementById("details").textContent.trim().split("\n");
    const bytes = Uint8Array.from(atob(lines[place2].trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  // analysis/dashboard/assets/src/canvas.js
  var LIGHT = [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b8559a",
    "#b07d00",
    "#3a9bd9",
    "#6b6b6b",
    "#7a4fd0"
  ];
  var DARK = [
    "#4aa8e8",
    "#f28a4b",
    "#2fc59a",
    "#e39ccb",
    "#e8bf4f",
    "#9bd3f7",
    "#b3b3b3",
    "#b59cf5"
  ];
  var SHAPES = ["circle", "square", "triangle", "diamond", "down", "bar"];
  var palette = {};
  function readTheme() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "faint", "line", "paper", "accent", "wash", "bad"]) {
      palette[name] = style.getPropertyValue(`--${name}`).trim();
    }
    palette.series = style.getPropertyValue("--scheme").trim() === "dark" ? DARK : LIGHT;
    palette.font = `11.5px ${style.getPropertyValue("--sans")}`;
  }
  var caseColour = (number) => palette.series[data.cases[number].colour % palette.series.length];
  var caseShape = (number) => SHAPES[data.cases[number].mark % SHAPES.length];
  var Surface = class {
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
  };
  function place(canvas, event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  function mark(context, shape, x, y, r) {
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
  var rgb = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  function cross(context, x, y, r) {
    context.moveTo(x - r, y - r);
    context.lineTo(x + r, y + r);
    context.moveTo(x - r, y + r);
    context.lineTo(x + r, y - r);
  }
  function swatch(number) {
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

  // analysis/dashboard/assets/src/again.js
  var fileName = () => decodeURIComponent(location.pathname).split("/").pop() || "dashboard.html";
  function again(row) {
    const { root } = data.campaigns[data.campaign[row]];
    const id = data.id[row];
    return [
      command("Execute it once more and compare every byte", `mpbench verify ${root} --run ${id}`),
      command("This run's time line, for somebody who has the same file", `${fileName()}#run=${id}`),
      command("A prompt inside its network", `mpbench shell ${root}/experiment.yaml --run ${id}`),
      element("p", { class: "soft" }, "Its files: ", element("code", {}, `${root}/runs/${id}/`))
    ];
  }
  function command(what, text) {
    const button = element("button", { type: "button" }, "Copy");
    const line = element("code", {}, text);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(line);
        button.textContent = "Selected";
      }
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
    return element(
      "div",
      { class: "command" },
      element("p", { class: "soft" }, what),
      element("div", {}, line, button)
    );
  }

  // analysis/dashboard/assets/src/quantities.js
  var SIDE_BY_SIDE = 4;
  var pathWords = (name) => name.replace(/^path(\d+)$/, "path $1");
  function quantities(entries) {
    const heads = /* @__PURE__ */ new Map();
    const names = /* @__PURE__ */ new Map();
    const rest = [];
    for (const [key, value, column] of entries) {
      if (value === null || value === void 0 || value === "") continue;
      const cut2 = key.startsWith("net.") ? -1 : key.lastIndexOf(".");
      const [what, unit] = withUnit(key.slice(cut2 + 1));
      if (cut2 < 0) {
        rest.push([column ? column.label : what, value, column ? column.unit : unit]);
        continue;
      }
      const head = pathWords(key.slice(0, cut2));
      if (!heads.has(head)) heads.set(head, {});
      heads.get(head)[what] = value;
      names.set(what, what === "bytes" ? "bytes" : unit);
    }
    const text = (value, unit) => typeof value === "number" ? shown(value, unit, 5) : String(value);
    const list = element(
      "dl",
      {},
      ...rest.map(
        ([what, value, unit]) => element("div", {}, element("dt", {}, what), element("dd", {}, text(value, unit)))
      )
    );
    if (!heads.size) return [list];
    const parts = [...heads.keys()].sort();
    const made2 = parts.length > SIDE_BY_SIDE ? below : beside;
    const table = made2(parts, [...names.keys()], (part, what) => {
      const value = heads.get(part)[what];
      return value === void 0 ? "" : text(value, names.get(what));
    });
    return [element("div", { class: "wide" }, table), list];
  }
  function beside(parts, names, of) {
    return element(
      "table",
      { class: "paths" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td", {}),
          ...parts.map((part) => element("th", { scope: "col" }, part))
        )
      ),
      element(
        "tbody",
        {},
        ...names.map(
          (what) => element(
            "tr",
            {},
            element("th", { scope: "row" }, what),
            ...parts.map((part) => element("td", { class: "n" }, of(part, what)))
          )
        )
      )
    );
  }
  function below(parts, names, of) {
    return element(
      "table",
      { class: "paths" },
      ...parts.map(
        (part) => element(
          "tbody",
          {},
          element("tr", {}, element("th", { scope: "rowgroup", colspan: 2, class: "part" }, part)),
          ...names.filter((what) => of(part, what)).map(
            (what) => element(
              "tr",
              {},
              element("th", { scope: "row" }, what),
              element("td", { class: "n" }, of(part, what))
            )
          )
        )
      )
    );
  }
  function withUnit(key) {
    const units = {
      mbps: "Mbit/s",
      ms: "ms",
      s: "s",
      percent: "%",
      packets: "packets",
      bytes: "bytes"
    };
    const cut2 = key.lastIndexOf("_");
    const unit = units[key.slice(cut2 + 1)];
    return unit && cut2 > 0 ? [key.slice(0, cut2).replaceAll("_", " "), unit] : [key.replaceAll("_", " "), ""];
  }

  // analysis/dashboard/assets/src/axes.js
  var Scale = class {
    // From low..high of the data to from..to of the screen.
    constructor(low, high, from, to, log = false) {
      Object.assign(this, { low, high, from, to, log });
      this.a = log ? Math.log10(low) : low;
      this.b = log ? Math.log10(high) : high;
    }
    at(value) {
      const v = this.log ? Math.log10(value) : value;
      return this.from + (v - this.a) / (this.b - this.a || 1) * (this.to - this.from);
    }
    back(place2) {
      const v = this.a + (place2 - this.from) / (this.to - this.from) * (this.b - this.a);
      return this.log ? 10 ** v : v;
    }
    ticks(count2) {
      if (!this.log) return ticks(this.low, this.high, count2);
      const decades = [];
      for (let p = Math.floor(this.a); p <= Math.ceil(this.b); p += 1) {
        for (const m of this.b - this.a > 2.5 ? [1] : [1, 2, 5]) {
          const value = m * 10 ** p;
          if (value >= this.low * 0.999 && value <= this.high * 1.001) decades.push(value);
        }
      }
      return decades.length > 1 ? decades : [this.low, this.high];
    }
  };
  function extent(column, log) {
    const { high } = column;
    let { low } = column;
    if (log) return [low / 1.15, high * 1.15];
    if (low >= 0 && low < 0.35 * high) low = 0;
    const margin = (high - low || Math.abs(high) || 1) * 0.04;
    return [low === 0 ? -margin * 0.5 : low - margin, high + margin];
  }
  var canLog = (column) => column.low > 0 && column.high / column.low > 3;
  function axes(context, x, y, unitX, unitY, last = "") {
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
  var tickText = (value, unit) => unit === "bytes" ? shown(value, unit) : formatNumber(value);
  function axisWidth(context, scale, unit) {
    const widths = scale.ticks(6).map((t) => context.measureText(tickText(t, unit)).width);
    return Math.ceil(Math.max(18, ...widths)) + 11;
  }

  // analysis/dashboard/assets/src/series.js
  var TimeChart = class {
    // lines: { name, colour, t, v, from, faint, thin, dots, dash }; levels: { value, name }
    // marks: a function that gives events as { t, kind, what, colour }
    constructor(host, { lines: lines2, levels = [], marks, unit = "", height = 170, label = "" }) {
      this.lines = lines2.filter((line) => line.t.length);
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
          Math.max(this.x.low, this.x.back(place(this.surface.canvas, event)[0]))
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
        end: end > begin ? end : begin + 1
      };
    }
    draw() {
      this.key.replaceChildren(
        ...[
          ...this.lines.filter((line) => !line.silent).map((line) => {
            const mark2 = element("i", {
              style: `--colour:${line.colour}`,
              class: line.faint ? "faint" : line.dash ? "dashed" : ""
            });
            const value = this.at === null ? "" : ` ${shown(this.reading(line), this.unit, 3)}`;
            return element(
              "span",
              { class: line.faint ? "soft" : "" },
              mark2,
              `${line.name}${value}`
            );
          }),
          this.at === null ? "" : element("span", { class: "soft" }, `at ${formatNumber(this.at, 3)} s${this.near()}`)
        ]
      );
      this.surface.draw();
    }
    // The events close to the pointer, in words.
    near() {
      const reach = 0.01 * (this.limits.end - this.limits.begin);
      return this.marks().filter((mark2) => Math.abs(mark2.t - this.at) <= reach).map((mark2) => `, ${mark2.kind} ${mark2.what}`).join("");
    }
    // The value in force at the pointer: of the first time that is not before it.
    reading(line) {
      let [low, high] = [0, line.t.length - 1];
      while (low < high) {
        const middle = low + high >> 1;
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
        const steps = all.filter(([time], i) => i === 0 || time < end);
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
      for (const mark2 of this.marks()) this.event(context, x, y, mark2);
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
  };

  // analysis/dashboard/assets/src/theory.js
  var DASHES = [
    [6, 3],
    [7, 3, 1.5, 3],
    [1.5, 2.5],
    [11, 4]
  ];
  var SHAPES2 = ["diamond", "square", "triangle", "down"];
  var dashes = (number) => DASHES[number % DASHES.length];
  var models = [...new Set(data.theory.map((curve) => modelOf(curve)))];
  function modelOf({ name, case: number }) {
    return number === null ? name : name.slice(name.indexOf(": ") + 2);
  }
  var ofColumn = (column) => data.theory.filter((curve) => curve.column === column.key);
  var curveColour = (curve) => curve.case === null ? palette.ink : caseColour(curve.case);
  var curveDashes = (curve) => dashes(models.indexOf(modelOf(curve)));
  function hollow(context, curve, x, y) {
    context.strokeStyle = curveColour(curve);
    context.lineWidth = 1.2;
    context.beginPath();
    mark(context, SHAPES2[models.indexOf(modelOf(curve)) % SHAPES2.length], x, y, 4);
    context.stroke();
  }
  function keyOf(column) {
    return ofColumn(column).map((curve) => {
      const canvas = element("canvas", { class: "swatch", "aria-hidden": "true" });
      const ratio = window.devicePixelRatio || 1;
      [canvas.width, canvas.height] = [26 * ratio, 14 * ratio];
      canvas.style.width = "26px";
      const context = canvas.getContext("2d");
      context.scale(ratio, ratio);
      context.strokeStyle = curveColour(curve);
      context.setLineDash(curveDashes(curve));
      context.beginPath();
      context.moveTo(0, 7);
      context.lineTo(26, 7);
      context.stroke();
      context.setLineDash([]);
      hollow(context, curve, 13, 7);
      return element("span", {}, canvas, curve.name);
    });
  }
  function widened(column) {
    let { low, high } = column;
    for (const curve of ofColumn(column)) {
      for (const value of curve.v) {
        if (value === null) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    return { ...column, low, high };
  }
  var timeLines = (lines2 = []) => lines2.map((line) => ({ ...line, colour: palette.ink, dash: dashes(line.model), thin: true }));

  // analysis/dashboard/assets/src/state.js
  var state = {
    cases: new Set(data.cases.map((_, number) => number)),
    campaigns: new Set(data.campaigns.map((_, number) => number)),
    verdicts: new Set(data.verdicts.map((_, number) => number)),
    ranges: /* @__PURE__ */ new Map(),
    // key of a factor to [low, high]
    values: /* @__PURE__ */ new Map(),
    // key of a factor to the set of its values
    brush: null,
    // { x, y: keys; x0, x1, y0, y1: of the data }
    hover: null,
    // a row
    open: null,
    // the row of the run that is shown
    order: []
    // the picked rows in the order of the table
  };
  var views = [];
  var watchers = [];
  var filtered = new Uint8Array(data.count);
  var picked = new Uint8Array(data.count);
  function passes(row) {
    if (!state.campaigns.has(data.campaign[row])) return 0;
    if (!state.cases.has(data.case[row]) || !state.verdicts.has(data.verdict[row])) return 0;
    for (const [key, [low, high]] of state.ranges) {
      const value = columns.get(key).v[row];
      if (value === null || value < low || value > high) return 0;
    }
    for (const [key, values] of state.values) {
      if (!values.has(columns.get(key).v[row])) return 0;
    }
    return 1;
  }
  function brushed(row) {
    if (!state.brush) return 1;
    const { x, y, x0, x1, y0, y1 } = state.brush;
    const across = columns.get(x).v[row];
    const up = columns.get(y).v[row];
    if (across === null || up === null) return 0;
    return across >= x0 && across <= x1 && up >= y0 && up <= y1 ? 1 : 0;
  }
  function refilter() {
    performance.mark("filter-begin");
    for (const row of rows) {
      filtered[row] = passes(row);
      picked[row] = filtered[row] && brushed(row);
    }
    for (const view of views) view.draw();
    performance.measure("filter", "filter-begin");
    changed();
  }
  function changed(atOnce = false) {
    for (const watcher of watchers) watcher(atOnce);
  }
  function numbers(words) {
    return words.map((word) => {
      const value = word.trim() === "" ? NaN : Number(word);
      return Number.isFinite(value) ? value : null;
    });
  }
  function remark() {
    for (const view of views) if (view.mark) view.mark();
  }
  function hover(row) {
    if (row === state.hover) return;
    state.hover = row;
    remark();
  }
  function somethingIsLeftOut() {
    return state.brush !== null || state.cases.size < data.cases.length || state.campaigns.size < data.campaigns.length || state.verdicts.size < data.verdicts.length || state.ranges.size > 0 || state.values.size > 0;
  }
  function reset() {
    for (const number of data.cases.keys()) state.cases.add(number);
    for (const number of data.campaigns.keys()) state.campaigns.add(number);
    for (const number of data.verdicts.keys()) state.verdicts.add(number);
    state.ranges.clear();
    state.values.clear();
    state.brush = null;
    for (const view of views) if (view.sync) view.sync();
    refilter();
  }
  var byPoint = /* @__PURE__ */ new Map();
  for (const row of rows) {
    const key = pointKey(row);
    if (!byPoint.has(key)) byPoint.set(key, []);
    byPoint.get(key).push(row);
  }
  function networkKey(row) {
    return `${data.campaign[row]}/${data.point[row]}`;
  }
  function pointKey(row) {
    return `${data.campaign[row]}/${data.point[row]}/${data.repetition[row]}`;
  }
  function siblings(row) {
    return byPoint.get(pointKey(row));
  }

  // analysis/dashboard/assets/src/run.js
  var panel = document.getElementById("run");
  var opener = null;
  var charts = [];
  async function openRun(row, focus = true) {
    if (state.open === null) opener = document.activeElement;
    state.open = row;
    document.body.classList.add("with-run");
    panel.hidden = false;
    remark();
    changed(true);
    let run;
    let others;
    try {
      run = await details(row);
      others = await Promise.all(
        siblings(row).filter((other) => other !== row).map(async (other) => ({ other, run: await details(other) }))
      );
    } catch (error) {
      const why = `This run's details cannot be unpacked (${error.message}); it takes Chromium 80, Firefox 113, Safari 16.4 or later, and a file that is whole.`;
      panel.replaceChildren(
        runHead(row, data.verdicts[data.verdict[row]]),
        element("p", { class: "bad" }, why)
      );
      return;
    }
    if (state.open !== row) return;
    showRun(row, run, others);
    panel.scrollTop = 0;
    if (focus) panel.focus({ preventScroll: true });
  }
  function closeRun() {
    if (state.open === null) return;
    state.open = null;
    panel.hidden = true;
    charts = [];
    document.body.classList.remove("with-run");
    remark();
    changed(true);
    if (opener?.isConnected) opener.focus({ preventScroll: true });
  }
  function showRun(row, run, others) {
    charts = [];
    const verdict = data.verdicts[data.verdict[row]];
    panel.replaceChildren(
      runHead(row, verdict),
      otherCases(row),
      ...verdict === "ok" ? [] : [trouble(row, run)],
      markBoxes(run),
      section("Goodput over time", (host) => goodputChart(host, row, run, others), "Mbit/s"),
      ...(run.traces || []).map(
        (trace) => section(trace.name, (host) => traceChart(host, trace, run), trace.unit)
      ),
      ...run.packets ? [
        section(
          "Packets: position in the stream over time",
          (host) => packetChart(host, run.packets),
          run.packets.unit
        )
      ] : [],
      ...run.marks?.length ? [section("Events", (host) => host.append(eventList(run)))] : [],
      section("Measured", (host) => host.append(...measured(row))),
      section("Asked", (host) => host.append(...asked(run))),
      section("Programs", (host) => host.append(...programs(run))),
      section("Again", (host) => host.append(...again(row))),
      ...run.unreadable ? [
        section(
          "Could not be read",
          (host) => host.append(
            element(
              "ul",
              { class: "bad" },
              ...run.unreadable.map((line) => element("li", {}, line))
            )
          )
        )
      ] : []
    );
    for (const chart of charts) chart.draw();
  }
  function section(title, fill, unit = "") {
    const soft = unit ? [element("span", { class: "soft" }, ` [${unit}]`)] : [];
    const host = element("section", {}, element("h3", {}, title, ...soft));
    fill(host);
    return host;
  }
  function runHead(row, verdict) {
    const button = (text, name, act) => element("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
    const several = data.campaigns.length > 1 ? [data.campaigns[data.campaign[row]].name] : [];
    const repetition = new Set(data.repetition).size > 1 ? [`repetition ${data.repetition[row]}`] : [];
    return element(
      "div",
      { class: "run-head" },
      element(
        "div",
        { class: "run-tools" },
        button("‹", "Run before, of those picked", () => step(-1)),
        button("›", "Next run, of those picked", () => step(1)),
        button("×", "Close (Escape)", closeRun)
      ),
      element(
        "h2",
        {},
        swatch(data.case[row]),
        data.cases[data.case[row]].name,
        element("span", { class: `badge ${verdict}` }, verdict)
      ),
      element(
        "p",
        { class: "soft" },
        [
          ...several,
          `design point ${data.point[row]}`,
          ...repetition,
          data.cases[data.case[row]].what
        ].filter(Boolean).join(" · ")
      )
    );
  }
  function step(by) {
    const { order } = state;
    if (!order.length) return;
    const now = order.indexOf(state.open);
    openRun(order[(now + by + order.length) % order.length], false);
  }
  function otherCases(row) {
    const goodput = columns.get("goodput_mbps");
    return element(
      "div",
      { class: "siblings", role: "group", "aria-label": "Cases at this design point" },
      ...siblings(row).map(
        (other) => element(
          "button",
          {
            type: "button",
            "aria-current": other === row ? "true" : false,
            onclick: () => openRun(other, false)
          },
          swatch(data.case[other]),
          data.cases[data.case[other]].name,
          element("span", { class: "n" }, goodput ? shown(goodput.v[other], goodput.unit, 3) : "")
        )
      )
    );
  }
  function trouble(row, run) {
    return element(
      "section",
      { class: "trouble" },
      element("p", {}, data.reason[row] || "no reason given"),
      run.console?.length ? element("pre", { "aria-label": "Last lines of the console" }, run.console.join("\n")) : null
    );
  }
  var unticked = /* @__PURE__ */ new Set();
  var markColour = (kind) => ({
    join: palette.ink,
    recovered: palette.series[2],
    backup: palette.series[4],
    fallback: palette.series[7]
  })[kind] ?? palette.bad;
  var marksOf = (run) => () => (run.marks ?? []).filter(({ kind }) => !unticked.has(kind)).map((mark2) => ({ ...mark2, colour: markColour(mark2.kind) }));
  function markBoxes(run) {
    const kinds = [...new Set((run.marks ?? []).map(({ kind }) => kind))];
    if (!kinds.length) return "";
    const boxes = kinds.map((kind) => {
      const box = element("input", {
        type: "checkbox",
        onchange: () => {
          if (box.checked) unticked.delete(kind);
          else unticked.add(kind);
          for (const chart of charts) chart.draw();
        }
      });
      box.checked = !unticked.has(kind);
      const mark2 = element("i", { style: `--colour:${markColour(kind)}` });
      return element("label", {}, box, mark2, ` ${kind} `);
    });
    const label = "Events that the charts mark";
    return element("div", { class: "key", role: "group", "aria-label": label }, "Events: ", ...boxes);
  }
  function eventList(run) {
    return element(
      "dl",
      { class: "events" },
      ...run.marks.map(
        ({ t, kind, what }) => element("div", {}, element("dt", {}, seconds(t)), element("dd", {}, `${kind}: ${what}`))
      )
    );
  }
  function goodputChart(host, row, run, others) {
    const line = (of, series, faint) => ({
      name: `${data.cases[data.case[of]].name}${series.several ? `, ${series.name}` : ""}`,
      colour: caseColour(data.case[of]),
      from: series.begin,
      t: series.end,
      v: series.mbps,
      faint,
      dash: series.number ? [5, 3] : null
    });
    const all = (of, { series }, faint) => series.map((s) => line(of, { ...s, several: series.length > 1 }, faint));
    const lines2 = [
      ...all(row, run, false),
      ...others.flatMap(({ other, run: its }) => all(other, its, true)),
      ...timeLines(run.theory?.goodput)
    ];
    if (!run.series.length) {
      host.append(element("p", { class: "soft" }, "This run left no report with intervals."));
      return;
    }
    const levels = capacityLevels(run);
    const said = levels.map(({ value, name, steps = [] }) => {
      const least = Math.min(value, ...steps.map(([, mbps]) => mbps));
      const from = least < value ? `${shown(least, "Mbit/s", 4)} to ` : "";
      return `, ${name} ${from}${shown(value, "Mbit/s", 4)}`;
    }).join("");
    charts.push(
      new TimeChart(host, {
        lines: lines2,
        unit: "Mbit/s",
        levels,
        marks: marksOf(run),
        label: `Goodput at the receiver over time, ${data.cases[data.case[row]].name}${said}`
      })
    );
  }
  function capacityLevels(run) {
    const named2 = Object.entries(run.parameters).flatMap(([key, value]) => {
      const link = /^(.+)\.capacity_mbps$/.exec(key);
      return link ? [[link[1], value]] : [];
    });
    const paths = run.paths ?? [];
    if (named2.length && named2.every(([link]) => paths.includes(link))) {
      const path = run.transport.protocol === "tcp" ? run.transport.path : null;
      const used = path ? named2.filter(([link]) => link === paths[path - 1]) : named2;
      const steps = capacitySteps(used, run.capacities ?? {});
      const value = Math.max(...steps.map(([, mbps]) => mbps));
      return value > 0 ? [{ value, name: "capacity", steps }] : [];
    }
    const levels = /* @__PURE__ */ new Map();
    for (const [link, value] of named2) levels.set(value, [...levels.get(value) ?? [], link]);
    return [...levels].map(([value, links]) => ({ value, name: `capacity of ${links.join(", ")}` }));
  }
  function capacitySteps(links, changing) {
    const own = links.map(([link, value]) => changing[link] ?? [[0, value]]);
    const times = [...new Set(own.flatMap((steps) => steps.map(([time]) => time)))];
    return times.sort((a, b) => a - b).map((time) => [
      time,
      own.reduce((sum, steps) => sum + (steps.filter(([at]) => at <= time).pop()?.[1] ?? 0), 0)
    ]);
  }
  function traceChart(host, trace, run) {
    const lines2 = trace.lines.map((line, number) => ({
      ...line,
      colour: palette.series[number % palette.series.length]
    }));
    lines2.push(...timeLines(run.theory?.[trace.quantity]));
    charts.push(
      new TimeChart(host, {
        lines: lines2,
        unit: trace.unit,
        marks: marksOf(run),
        label: `${trace.name} by subflow over time`
      })
    );
  }
  function packetChart(host, packets) {
    const lines2 = packets.lines.map((line, number) => ({
      ...line,
      dots: true,
      size: line.again ? 2.6 : 1.6,
      colour: line.again ? line.name === "reinjected" ? palette.ink : palette.bad : palette.series[number % palette.series.length]
    }));
    charts.push(
      new TimeChart(host, {
        lines: lines2,
        unit: packets.unit,
        height: 240,
        label: "Position in the stream of each packet with data, over time"
      })
    );
    if (packets.note) host.append(element("p", { class: "soft" }, packets.note));
  }
  function measured(row) {
    const known2 = data.columns.filter((column) => column.role === "metric" && column.v[row] !== null);
    const absent = (data.absent?.[row] ?? "").split("; ").filter(Boolean);
    return [
      ...quantities(known2.map((column) => [column.key, column.v[row], column])).reverse(),
      absent.length ? element(
        "details",
        { class: "absent" },
        element("summary", {}, "Metrics that this run lacks, and why"),
        element("ul", { class: "soft" }, ...absent.map((line) => element("li", {}, line)))
      ) : ""
    ];
  }
  function asked(run) {
    const { sysctls = {}, ...transport } = run.transport;
    const path = run.paths?.[transport.path - 1];
    const words = [
      ...Object.entries({ ...transport, path: path ? pathWords(path) : transport.path }),
      ...Object.entries(sysctls),
      ["topology", run.topology],
      ["seed", run.seed]
    ];
    return quantities([...Object.entries(run.parameters), ...words]);
  }
  function programs(run) {
    if (!run.programs.length) {
      return [element("p", { class: "soft" }, "No program is known to have run.")];
    }
    return run.programs.map(
      (program) => element(
        "div",
        { class: "program" },
        element("pre", {}, element("b", {}, `${program.host}$ `), program.command),
        element(
          "p",
          { class: "soft" },
          `${seconds(program.start_s)} to ${seconds(program.end_s)}, `,
          element(
            "span",
            { class: program.exit_code === 0 ? "" : "bad" },
            program.exit_code === null ? "did not end" : `exit status ${program.exit_code}`
          )
        )
      )
    );
  }
  var seconds = (value) => value === null || value === void 0 ? "–" : `${formatNumber(Math.round(value * 1e3) / 1e3, 7)} s`;

  // analysis/dashboard/assets/src/address.js
  var MOST = 2e4;
  var SETTLED_MS = 400;
  var reading = false;
  var timer = 0;
  function parameters() {
    const fragment = location.hash.slice(1);
    return new URLSearchParams(fragment.length > MOST ? "" : fragment);
  }
  function save() {
    clearTimeout(timer);
    const chosen = new URLSearchParams();
    if (state.open !== null) chosen.set("run", data.id[state.open]);
    for (const view of views) if (view.toAddress) view.toAddress(chosen);
    const text = chosen.toString();
    if (text === location.hash.slice(1)) return;
    history.pushState(null, "", text ? `#${text}` : location.pathname + location.search);
  }
  function changed2(atOnce) {
    if (reading) return;
    clearTimeout(timer);
    if (atOnce) save();
    else timer = setTimeout(save, SETTLED_MS);
  }
  function read(focus = false) {
    clearTimeout(timer);
    const chosen = parameters();
    reading = true;
    try {
      state.brush = null;
      for (const view of views) if (view.fromAddress) view.fromAddress(chosen);
      refilter();
      const row = data.id.indexOf(chosen.get("run"));
      if (row < 0) closeRun();
      else if (row !== state.open) openRun(row, focus);
    } finally {
      reading = false;
    }
  }
  watchers.push(changed2);
  addEventListener("popstate", () => read());

  // analysis/dashboard/assets/src/filters.js
  var BARS = 24;
  var DIGITS = 7;
  var Choices = class {
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
          number === void 0 ? null : swatch(number),
          element("span", { class: "word" }, name, what ? element("small", {}, what) : null),
          counted
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
    changed() {
    }
    toAddress(address) {
      if (this.items.every(({ value }) => this.chosen.has(value))) return;
      const shownItems = this.items.filter(({ value }) => this.chosen.has(value));
      for (const { name } of shownItems) address.append(this.parameter, name);
      if (!shownItems.length) address.append(this.parameter, "");
    }
    fromAddress(address) {
      const wanted = new Set(address.getAll(this.parameter));
      const known2 = this.items.filter(({ name }) => wanted.has(name));
      const all = !known2.length && !wanted.has("");
      for (const { value } of this.items) this.chosen.delete(value);
      for (const { value } of all ? this.items : known2) this.chosen.add(value);
    }
    draw() {
      this.items.forEach(({ value, count: count2 }, place2) => {
        this.buttons[place2].setAttribute("aria-pressed", String(this.chosen.has(value)));
        this.buttons[place2].counted.textContent = count2();
      });
    }
    theme() {
      this.items.forEach(({ number }, place2) => {
        const old = this.buttons[place2].querySelector(".swatch");
        if (old) old.replaceWith(swatch(number));
      });
    }
  };
  function countWhere(test) {
    let count2 = 0;
    for (const row of rows) if (filtered[row] && test(row)) count2 += 1;
    return String(count2);
  }
  var ValueFilter = class extends Choices {
    constructor(host, column) {
      const chosen = new Set(column.values);
      const items = column.values.map((value) => ({
        value,
        name: named(value, column),
        count: () => countWhere((row) => column.v[row] === value)
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
        const known2 = this.column.values.filter((value) => wanted.includes(this.word(value)));
        if (known2.length || !words.length) {
          for (const value of this.column.values) {
            if (!known2.includes(value)) this.chosen.delete(value);
          }
        }
      }
      this.changed();
    }
  };
  function wordsOf(address, parameter, key) {
    const found = address.getAll(parameter).map((text) => text.split("~")).find((words) => words[0] === key);
    return found ? found.slice(1) : null;
  }
  var RangeFilter = class {
    constructor(host, column) {
      this.column = column;
      this.text = element("output", { class: "range" });
      this.place = element("div", { class: "bars" });
      this.ends = ["least", "greatest"].map((which, end) => {
        const input = element("input", {
          type: "range",
          min: 0,
          max: 1e3,
          step: 1,
          value: end * 1e3,
          "aria-label": `${column.label}, ${which}`
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
      const part = Number(this.ends[end].value) / 1e3;
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
        input.value = Number.isFinite(part) ? Math.round(part * 1e3) : end * 1e3;
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
      this.ends[1].value = 1e3;
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
        const bar = Math.min(BARS - 1, Math.floor((v[row] - low) / (high - low || 1) * BARS));
        all[bar] += 1;
        kept[bar] += picked[row];
      }
      const most = Math.max(1, ...all);
      const wide = width / BARS;
      for (const [counts, colour] of [
        [all, palette.line],
        [kept, palette.accent]
      ]) {
        context.fillStyle = colour;
        counts.forEach((count2, bar) => {
          const tall = count2 / most * (height - 2);
          if (tall) {
            context.fillRect(bar * wide, height - Math.max(1, tall), wide - 1, Math.max(1, tall));
          }
        });
      }
    }
  };
  function makeFilters() {
    new Choices(
      document.getElementById("cases"),
      data.cases.map(({ name, what }, number) => ({
        value: number,
        name,
        what,
        number,
        count: () => countWhere((row) => data.case[row] === number)
      })),
      state.cases,
      "case"
    );
    document.getElementById("campaign-section").hidden = data.campaigns.length < 2;
    new Choices(
      document.getElementById("campaigns"),
      data.campaigns.map(({ name }, number) => ({
        value: number,
        name,
        count: () => countWhere((row) => data.campaign[row] === number)
      })),
      state.campaigns,
      "campaign"
    );
    const there = data.verdicts.map((_, number) => number).filter((number) => data.verdict.includes(number));
    document.getElementById("verdict-section").hidden = there.length < 2 && there[0] === 0;
    new Choices(
      document.getElementById("verdicts"),
      there.map((number) => ({
        value: number,
        name: data.verdicts[number],
        count: () => countWhere((row) => data.verdict[row] === number)
      })),
      state.verdicts,
      "verdict"
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

  // analysis/dashboard/assets/src/choosers.js
  function chooser(chosen, name, change, wanted = () => true, first = null) {
    const select = element("select", { "aria-label": name });
    if (first) select.append(element("option", { value: "" }, first));
    select.append(...columnGroups(wanted));
    select.value = chosen || "";
    select.addEventListener("change", () => change(select.value));
    return select;
  }
  function wayChooser(chosen, name, change, ways2) {
    const select = element("select", { "aria-label": name });
    for (const way of ways2) select.append(element("option", { value: way.key }, way.name));
    select.append(...columnGroups(({ role }) => role !== "metric"));
    select.value = chosen;
    select.addEventListener("change", () => change(select.value));
    return select;
  }
  function caseChooser(chosen, name, change) {
    const select = element("select", { "aria-label": name });
    select.append(element("option", { value: "" }, "as measured"));
    data.cases.forEach((one, number) => {
      select.append(element("option", { value: number }, `less that of ${one.name}`));
    });
    select.value = chosen === null ? "" : String(chosen);
    select.addEventListener(
      "change",
      () => change(select.value === "" ? null : Number(select.value))
    );
    return select;
  }
  function columnGroups(wanted) {
    return [
      ["metric", "Metrics"],
      ["factor", "Factors"],
      ["derived", `Differences, ${(data.paths ?? []).join(" less ")}`]
    ].flatMap(([role, title]) => {
      const group = element("optgroup", { label: title });
      for (const column of data.columns) {
        const kind = column.role === "word" ? "factor" : column.role;
        if (kind === role && wanted(column)) {
          group.append(element("option", { value: column.key }, full(column)));
        }
      }
      return group.children.length ? [group] : [];
    });
  }
  function note(context, width, height, text) {
    context.fillStyle = palette.soft;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, width / 2, height / 2);
  }
  function clip(context, text, width) {
    if (context.measureText(text).width <= width) return text;
    let short = text;
    while (short.length > 1 && context.measureText(`${short}…`).width > width) {
      short = short.slice(0, -1);
    }
    return `${short}…`;
  }
  function folded(context, text, width) {
    const at = text.indexOf("–") + 1;
    const fits = context.measureText(text).width <= width;
    const parts = fits || at < 2 ? [text] : [text.slice(0, at), text.slice(at)];
    return parts.map((part) => clip(context, part, width));
  }
  function keyIn(address, name, start, wanted = () => true) {
    const column = columns.get(address.get(name));
    return column && wanted(column) ? column.key : start;
  }

  // analysis/dashboard/assets/src/scales.js
  var LOWEST_PART = 0.1;
  var LEAST_PART = 1 / 3;
  var FENCE = 3;
  var LEAST_VALUES = 5;
  function cut(sorted) {
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
  function crowded(sorted) {
    if (sorted.length < LEAST_VALUES || sorted[0] <= 0) return false;
    const part = (values) => {
      const [low, high] = [values[0], values[values.length - 1]];
      return high > low ? (quantile(values, 0.5) - low) / (high - low) : 1;
    };
    const logarithms = sorted.map(Math.log);
    return part(sorted) < LOWEST_PART && part(logarithms) >= LOWEST_PART && cut(logarithms) === null;
  }
  var known = /* @__PURE__ */ new Map();
  function scaleOf(column) {
    if (!known.has(column)) {
      const values = rows.filter((row) => isOk(row) && column.v[row] !== null);
      const sorted = values.map((row) => column.v[row]).sort((a, b) => a - b);
      const log = !column.words && crowded(sorted);
      known.set(column, { log, cut: log || column.words ? null : cut(sorted) });
    }
    return known.get(column);
  }

  // analysis/dashboard/assets/src/groups.js
  var MOST_VALUES = 12;
  var RANGES = 5;
  function bins(column) {
    if (column.values && column.values.length <= MOST_VALUES) {
      return batches(column).map((batch) => ({ ...batch, name: named(batch.low, column, 3) }));
    }
    const { log } = scaleOf(column);
    const [a, b] = [column.low, column.high].map((v) => log ? Math.log(v) : v);
    const end = (i) => {
      const v = a + i / RANGES * (b - a);
      return Number((log ? Math.exp(v) : v).toPrecision(3));
    };
    return Array.from({ length: RANGES }, (_, i) => {
      const [low, high] = [end(i), end(i + 1)];
      return {
        low,
        high,
        name: `${shortNumber(low)}–${shortNumber(high)}`,
        first: i === 0,
        last: i + 1 === RANGES
      };
    });
  }
  function binOf(value, all) {
    if (value === null) return -1;
    if (all[0]?.only) return all.findIndex(({ low }) => low === value);
    return all.findIndex(({ high, last }) => last || value <= high);
  }
  var shortNumber = (value) => formatNumber(value, 2);
  var CASE = ":case";
  var CAMPAIGN = ":campaign";
  var ways = [
    { key: CASE, name: "case" },
    ...data.campaigns.length > 1 ? [{ key: CAMPAIGN, name: "campaign" }] : []
  ];
  function isWay(key) {
    const column = columns.get(key);
    return ways.some((way) => way.key === key) || Boolean(column && column.role !== "metric");
  }
  function grouped(key) {
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
      of: (row) => binOf(column.v[row], all)
    };
  }

  // analysis/dashboard/assets/src/tip.js
  var tip = document.getElementById("tip");
  function tipFor(row, columns2, left, top) {
    const lines2 = columns2.flatMap((column) => [
      element("div", {}, `${column.label}: ${named(column.v[row], column)}`),
      ...ofColumn(column).filter((curve) => curve.v[row] !== null).map(
        (curve) => element("div", { class: "soft" }, `${curve.name}: ${named(curve.v[row], column)}`)
      )
    ]);
    const verdict = isOk(row) ? "" : `, ${data.verdicts[data.verdict[row]]}`;
    const what = `${data.cases[data.case[row]].name}, point ${data.point[row]}${verdict}`;
    showTip([element("strong", {}, swatch(data.case[row]), what), ...lines2], left, top);
  }
  function showTip(lines2, left, top) {
    tip.replaceChildren(...lines2);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const over = left + 16 + box.width > innerWidth;
    tip.style.left = `${Math.max(4, over ? left - box.width - 14 : left + 16)}px`;
    tip.style.top = `${Math.max(4, Math.min(innerHeight - box.height - 4, top + 12))}px`;
  }
  function hideTip() {
    tip.hidden = true;
  }

  // analysis/dashboard/assets/src/heat.js
  var CELL = 30;
  var HEAD = 24;
  var FOOT = 44;
  var LINE = 13;
  var WIDE = 320;
  var BELOW = [213, 94, 0];
  var ABOVE = [0, 114, 178];
  var HeatMap = class {
    constructor(panels) {
      this.panels = panels;
      this.title = "Heat map";
      const varied = factors.filter((column) => column.low !== column.high);
      this.possible = varied.length > 1;
      if (!this.possible) return;
      this.start = { metric: data.start.spread, x: varied[0].key, y: varied[1].key };
      this.keys = { ...this.start };
      this.over = null;
      this.maps = [];
    }
    choosers() {
      const change = (name) => (key) => {
        const other = { x: "y", y: "x" }[name];
        if (other && key === this.keys[other]) this.keys[other] = this.keys[name];
        this.keys[name] = key;
        this.panels.chosen();
      };
      const spread = (column) => column.role !== "metric" && column.low !== column.high;
      const over = caseChooser(this.over, "Compared with", (number) => {
        this.over = number;
        this.panels.chosen();
      });
      return [
        chooser(this.keys.metric, "Metric of the map", change("metric"), ({ words }) => !words),
        "over",
        chooser(this.keys.x, "Factor across", change("x"), spread),
        "and",
        chooser(this.keys.y, "Factor up", change("y"), spread),
        ...data.cases.length > 1 ? [over] : []
      ];
    }
    toAddress(address) {
      for (const name of ["metric", "x", "y"]) {
        if (this.keys[name] !== this.start[name]) address.set(`heat_${name}`, this.keys[name]);
      }
      if (this.over !== null) address.set("heat_over", data.cases[this.over].name);
      if (state.brush?.from === this) {
        const { x0, x1, y0, y1 } = state.brush;
        address.set("pick", ["heat", x0, x1, y0, y1].join("~"));
      }
    }
    fromAddress(address) {
      if (!this.possible) return;
      const spread = (column) => column.role !== "metric" && column.low !== column.high;
      this.keys.metric = keyIn(address, "heat_metric", this.start.metric, ({ words }) => !words);
      this.keys.x = keyIn(address, "heat_x", this.start.x, spread);
      this.keys.y = keyIn(address, "heat_y", this.start.y, spread);
      if (this.keys.x === this.keys.y) [this.keys.x, this.keys.y] = [this.start.x, this.start.y];
      const over = data.cases.findIndex(({ name }) => name === address.get("heat_over"));
      this.over = over < 0 ? null : over;
      const [which, ...ends] = (address.get("pick") || "").split("~");
      const [x0, x1, y0, y1] = ends.map((word) => word.trim() === "" ? NaN : Number(word));
      if (which === "heat" && ends.length === 4 && x0 <= x1 && y0 <= y1) {
        state.brush = { from: this, x: this.keys.x, y: this.keys.y, x0, x1, y0, y1 };
      }
    }
    // The metric of each network and case, repetitions averaged.
    networks() {
      const found = /* @__PURE__ */ new Map();
      const chosen = state.brush?.from === this ? filtered : picked;
      for (const row of rows) {
        const value = this.metric.v[row];
        if (!chosen[row] || !isOk(row) || value === null) continue;
        const [x, y] = [binOf(this.x.v[row], this.across), binOf(this.y.v[row], this.up)];
        if (x < 0 || y < 0) continue;
        const key = networkKey(row);
        if (!found.has(key)) found.set(key, { x, y, cases: data.cases.map(() => []) });
        found.get(key).cases[data.case[row]].push(value);
      }
      return [...found.values()];
    }
    count() {
      this.metric = columns.get(this.keys.metric);
      this.x = columns.get(this.keys.x);
      this.y = columns.get(this.keys.y);
      [this.across, this.up] = [bins(this.x), bins(this.y)];
      const cells = data.cases.map(() => this.up.map(() => this.across.map(() => [])));
      const every = this.networks();
      const bases = this.over === null ? [] : every.map((network) => mean(network.cases[this.over]));
      this.percent = this.over !== null && bases.every((base) => base === null || base > 0);
      every.forEach((network, i) => {
        network.cases.forEach((values, number) => {
          let value = mean(values);
          if (value === null || number === this.over) return;
          if (this.over !== null) {
            if (bases[i] === null) return;
            value = this.percent ? (value / bases[i] - 1) * 100 : value - bases[i];
          }
          cells[number][network.y][network.x].push(value);
        });
      });
      for (const value of cells.flat(2)) value.sort((a, b) => a - b);
      this.maps = cells.map((table, number) => ({ number, table })).filter(({ table }) => table.some((line) => line.some((cell) => cell.length)));
      const medians = this.maps.flatMap(
        ({ table }) => table.flat().filter((cell) => cell.length).map((cell) => quantile(cell, 0.5))
      );
      [this.low, this.high] = [Math.min(...medians), Math.max(...medians)];
    }
    columnsOf(width) {
      return Math.max(1, Math.min(this.maps.length, Math.floor(width / WIDE)));
    }
    get high_() {
      return HEAD + this.up.length * CELL + FOOT;
    }
    tall(width) {
      if (!this.maps.length) return 120;
      return Math.ceil(this.maps.length / this.columnsOf(width)) * this.high_;
    }
    unit() {
      return this.percent ? "%" : this.metric.unit;
    }
    title_() {
      const over = this.over === null ? "" : `, difference from ${data.cases[this.over].name}`;
      return `Median of ${this.metric.label}${over} [${this.unit() || "no unit"}]`;
    }
    label() {
      const cells = this.maps.flatMap(
        ({ number, table }) => table.flatMap(
          (line, y) => line.flatMap(
            (cell, x) => cell.length ? [`${data.cases[number].name}, ${this.cell(x, y)}: ${this.text(cell)}`] : []
          )
        )
      );
      return `${this.title_()} over ${full(this.x)} and ${full(this.y)}. ${cells.slice(0, 200).join("; ")}`;
    }
    words() {
      if (!this.maps.length) return "";
      return `${this.title_()}, by network, across ${full(this.x)} and up ${full(this.y)}. Click a cell to pick its runs.`;
    }
    cell(x, y) {
      return `${this.x.label} ${this.across[x].name}, ${this.y.label} ${this.up[y].name}`;
    }
    text(cell) {
      const value = quantile(cell, 0.5);
      const sign = this.over !== null && value > 0 ? "+" : "";
      return `${sign}${formatNumber(value, 3)}`;
    }
    // Blue for much; with a case to compare with, orange below 0.
    colour(value) {
      const paper = rgb(palette.paper);
      const mix = (colour, part) => paper.map((from, i) => Math.round(from + (colour[i] - from) * part));
      if (this.over !== null) {
        const most = Math.max(Math.abs(this.low), Math.abs(this.high)) || 1;
        return mix(value < 0 ? BELOW : ABOVE, Math.abs(value) / most);
      }
      return mix(ABOVE, 0.06 + 0.94 * ((value - this.low) / (this.high - this.low || 1)));
    }
    paint(context, width, height) {
      this.boxes = [];
      if (!this.maps.length) {
        note(context, width, height, "No run that is ok and picked has this metric");
        return;
      }
      const across = this.columnsOf(width);
      const wide = width / across;
      this.maps.forEach((map, i) => {
        this.map(context, map, i % across * wide, Math.floor(i / across) * this.high_, wide);
      });
    }
    map(context, { number, table }, left, top, wide) {
      const names = this.up.map(({ name }) => context.measureText(name).width);
      const from = left + Math.min(wide * 0.34, Math.max(...names) + 10);
      const cell = (left + wide - 16 - from) / this.across.length;
      context.fillStyle = palette.ink;
      context.textAlign = "left";
      context.textBaseline = "middle";
      context.fillText(clip(context, data.cases[number].name, wide - 20), from, top + HEAD / 2);
      table.forEach((line, y) => {
        const at = top + HEAD + (this.up.length - 1 - y) * CELL;
        context.textAlign = "right";
        context.fillStyle = palette.soft;
        context.fillText(clip(context, this.up[y].name, from - left - 8), from - 6, at + CELL / 2);
        line.forEach(
          (values, x) => this.box(context, { number, values, x, y }, from + x * cell, at, cell)
        );
      });
      const bottom = top + HEAD + this.up.length * CELL;
      context.textAlign = "center";
      context.textBaseline = "top";
      context.fillStyle = palette.soft;
      this.across.forEach(({ name }, x) => {
        folded(context, name, cell - 4).forEach((line, row) => {
          context.fillText(line, from + (x + 0.5) * cell, bottom + 5 + row * LINE);
        });
      });
    }
    box(context, { number, values, x, y }, left, top, wide) {
      context.strokeStyle = palette.line;
      context.lineWidth = 1;
      if (!values.length) {
        context.strokeRect(left + 0.5, top + 0.5, wide - 2, CELL - 2);
        return;
      }
      const colour = this.colour(quantile(values, 0.5));
      context.fillStyle = `rgb(${colour.join()})`;
      context.fillRect(left, top, wide - 1, CELL - 1);
      const bright = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
      context.fillStyle = bright > 140 ? "#111" : "#fff";
      context.textAlign = "center";
      context.textBaseline = "middle";
      const text = this.text(values);
      if (context.measureText(text).width < wide - 4) {
        context.fillText(text, left + wide / 2, top + CELL / 2);
      }
      const brush = state.brush?.from === this ? state.brush : null;
      if (brush && this.ends(x, y).every((end, i) => end === [brush.x0, brush.x1, brush.y0, brush.y1][i])) {
        context.strokeStyle = palette.ink;
        context.lineWidth = 2;
        context.strokeRect(left + 1, top + 1, wide - 3, CELL - 3);
      }
      this.boxes.push({ left, top, wide, number, values, x, y });
    }
    // The values of a cell: from above the lower end of a range to its upper end.
    ends(x, y) {
      return [
        [this.x, this.across, x],
        [this.y, this.up, y]
      ].flatMap(([column, all, i]) => {
        const mine = column.known.filter((value) => binOf(value, all) === i);
        return [Math.min(...mine), Math.max(...mine)];
      });
    }
    at(event) {
      const [px, py] = place(this.panels.surface.canvas, event);
      return this.boxes?.find(
        ({ left, top, wide }) => px >= left && px < left + wide && py >= top && py < top + CELL
      );
    }
    move(event) {
      const box = this.at(event);
      if (!box) {
        hideTip();
        return;
      }
      const lines2 = [
        element("strong", {}, data.cases[box.number].name),
        element("div", {}, this.cell(box.x, box.y)),
        element(
          "div",
          {},
          `${this.text(box.values)} ${this.unit()}, ${many(box.values.length, "network")}`
        )
      ];
      showTip(lines2, event.clientX, event.clientY);
    }
    leave() {
      hideTip();
    }
    click(event) {
      const box = this.at(event);
      const mine = state.brush?.from === this;
      if (!box && !mine) return;
      if (!box) state.brush = null;
      else {
        const [x0, x1, y0, y1] = this.ends(box.x, box.y);
        const same = mine && state.brush.x0 === x0 && state.brush.y0 === y0;
        state.brush = same ? null : { from: this, x: this.x.key, y: this.y.key, x0, x1, y0, y1 };
      }
      refilter();
    }
  };
  var mean = (values) => values.length ? values.reduce((a, b) => a + b, 0) / values.length : null;

  // analysis/dashboard/assets/src/multiples.js
  var WIDE2 = 230;
  var TALL = 190;
  var NEAR = 14;
  var Multiples = class {
    constructor(panels) {
      this.panels = panels;
      this.title = "Small multiples";
      this.marks = true;
      const listed = factors.find((column) => column.values && column.values.length > 1);
      const by = data.campaigns.length > 1 ? ways[1].key : listed ? listed.key : ways[0].key;
      this.start = { x: data.start.x1, y: data.start.y1, by };
      this.keys = { ...this.start };
      this.panes = [];
    }
    choosers() {
      const change = (name) => (key) => {
        this.keys[name] = key;
        this.panels.chosen();
      };
      const numbers2 = ({ words }) => !words;
      return [
        chooser(this.keys.y, "Vertical axis of the panels", change("y"), numbers2),
        "against",
        chooser(this.keys.x, "Horizontal axis of the panels", change("x"), numbers2),
        "by",
        wayChooser(this.keys.by, "A panel per", change("by"), ways)
      ];
    }
    toAddress(address) {
      for (const name of ["x", "y", "by"]) {
        if (this.keys[name] !== this.start[name]) address.set(`panel_${name}`, this.keys[name]);
      }
    }
    fromAddress(address) {
      const numbers2 = ({ words }) => !words;
      this.keys.x = keyIn(address, "panel_x", this.start.x, numbers2);
      this.keys.y = keyIn(address, "panel_y", this.start.y, numbers2);
      const by = address.get("panel_by");
      this.keys.by = isWay(by) ? by : this.start.by;
    }
    count() {
      this.x = columns.get(this.keys.x);
      this.y = columns.get(this.keys.y);
      const { names, of } = grouped(this.keys.by);
      const all = names.map((name) => ({ name, rows: [] }));
      this.outside = 0;
      this.cut = { x: scaleOf(this.x).cut ?? this.x, y: scaleOf(this.y).cut ?? this.y };
      for (const row of rows) {
        const [x, y] = [this.x.v[row], this.y.v[row]];
        const group = of(row);
        if (!filtered[row] || x === null || y === null || group < 0) continue;
        if (within(x, this.cut.x) && within(y, this.cut.y)) all[group].rows.push(row);
        else this.outside += 1;
      }
      this.panes = all.filter((pane) => pane.rows.length);
    }
    across(width) {
      return Math.max(1, Math.min(this.panes.length, Math.floor(width / WIDE2)));
    }
    tall(width) {
      return Math.max(1, Math.ceil(this.panes.length / this.across(width))) * TALL;
    }
    label() {
      const panes = this.panes.map((pane) => `${pane.name}: ${many(pane.rows.length, "run")}`);
      return `${full(this.y)} against ${full(this.x)}. ${panes.join("; ")}`;
    }
    words() {
      if (!this.outside) return "";
      return `${many(this.outside, "run")} outside these axes, which leave outliers out.`;
    }
    paint(context, width, height) {
      if (!this.panes.length) {
        note(context, width, height, "No run to show");
        return;
      }
      const across = this.across(width);
      const wide = width / across;
      const [logX, logY] = [scaleOf(this.x).log, scaleOf(this.y).log];
      this.panes.forEach((pane, i) => {
        const [left, top] = [i % across * wide, Math.floor(i / across) * TALL];
        const y = new Scale(...extent(this.cut.y, logY), top + TALL - 26, top + 24, logY);
        const from = left + axisWidth(context, y, this.y.unit);
        const x = new Scale(...extent(this.cut.x, logX), from, left + wide - 14, logX);
        axes(context, x, y, this.x.unit, this.y.unit);
        context.fillStyle = palette.ink;
        context.textAlign = "left";
        context.textBaseline = "top";
        context.fillText(clip(context, pane.name, wide - from + left - 14), x.from, top + 4);
        pane.seen = pane.rows.map((row) => ({
          row,
          px: x.at(this.x.v[row]),
          py: y.at(this.y.v[row])
        }));
        this.points(context, pane.seen);
      });
    }
    points(context, seen) {
      const size = seen.length > 200 ? 2.2 : 3.2;
      for (const { row, px, py } of seen) {
        const number = data.case[row];
        context.globalAlpha = picked[row] ? 0.85 : 0.14;
        context.strokeStyle = caseColour(number);
        context.lineWidth = 1.2;
        context.beginPath();
        if (isOk(row)) mark(context, caseShape(number), px, py, size);
        else cross(context, px, py, size);
        context.stroke();
        if (row === state.hover || row === state.open) {
          context.globalAlpha = 1;
          context.strokeStyle = palette.ink;
          context.beginPath();
          context.arc(px, py, 6.5, 0, 2 * Math.PI);
          context.stroke();
        }
      }
      context.globalAlpha = 1;
    }
    nearest(event) {
      const [px, py] = place(this.panels.surface.canvas, event);
      let [best, least] = [null, NEAR * NEAR];
      for (const pane of this.panes) {
        for (const point of pane.seen ?? []) {
          const far = (point.px - px) ** 2 + (point.py - py) ** 2;
          if (far < least) [best, least] = [point, far];
        }
      }
      return best;
    }
    move(event) {
      const point = this.nearest(event);
      hover(point ? point.row : null);
      if (point) tipFor(point.row, [this.x, this.y], event.clientX, event.clientY);
      else hideTip();
    }
    leave() {
      hover(null);
      hideTip();
    }
    click(event) {
      const point = this.nearest(event);
      if (point) openRun(point.row);
    }
  };
  var within = (value, { low, high }) => value >= low && value <= high;

  // analysis/dashboard/assets/src/parallel.js
  var TALL2 = 300;
  var HEAD2 = 34;
  var FOOT2 = 14;
  var MOST_FACTORS = 8;
  var NEAR2 = 9;
  var Parallel = class {
    constructor(panels) {
      this.panels = panels;
      this.apart = Math.min(1.4, 10 / data.cases.length);
      this.title = "Lines";
      this.marks = true;
      const varied = factors.filter((column) => column.low !== column.high);
      this.left = Math.max(0, varied.length - MOST_FACTORS);
      this.varied = varied.slice(0, MOST_FACTORS);
      this.possible = varied.length > 0;
      this.start = { first: data.start.y1, second: data.start.y2 };
      const another = [...data.metrics, data.start.x2, data.start.spread].find(
        (key) => key !== this.start.first && columns.get(key)?.role === "metric"
      );
      if (this.start.first === this.start.second && another) this.start.second = another;
      this.keys = { ...this.start };
    }
    choosers() {
      const change = (name) => (key) => {
        this.keys[name] = key;
        this.panels.chosen();
      };
      const metric = ({ role }) => role === "metric";
      return [
        element("span", {}, "Factors and"),
        chooser(this.keys.first, "First metric of the lines", change("first"), metric),
        "and",
        chooser(this.keys.second, "Second metric of the lines", change("second"), metric)
      ];
    }
    toAddress(address) {
      for (const name of ["first", "second"]) {
        if (this.keys[name] !== this.start[name]) address.set(`line_${name}`, this.keys[name]);
      }
    }
    fromAddress(address) {
      for (const name of ["first", "second"]) {
        this.keys[name] = keyIn(address, `line_${name}`, this.start[name], ({ words }) => !words);
      }
    }
    count() {
      const metrics = [this.keys.first, this.keys.second].map((key) => columns.get(key));
      this.axes = [.../* @__PURE__ */ new Set([...this.varied, ...metrics])].filter(
        (column) => column.known.length && !(column.role !== "word" && column.low === column.high)
      );
      this.outside = 0;
      this.shown = rows.filter((row) => {
        if (!filtered[row]) return false;
        const far = this.axes.some((column) => {
          const range = scaleOf(column).cut;
          const value = column.v[row];
          return range && value !== null && (value < range.low || value > range.high);
        });
        this.outside += far ? 1 : 0;
        return !far;
      });
    }
    tall() {
      return TALL2;
    }
    label() {
      return `${many(this.shown.length, "run")}, a line each, across ${this.axes.map(full).join(", ")}`;
    }
    words() {
      return [
        "A line per run, in the colour of its case. Filters and picked points choose the lines.",
        this.outside ? `${many(this.outside, "run")} outside, because the axes leave outliers out.` : "",
        this.left ? `${many(this.left, "further factor")} not shown.` : ""
      ].filter(Boolean).join(" ");
    }
    paint(context, width, height) {
      this.lines = [];
      if (!this.shown.length || this.axes.length < 2) {
        note(context, width, height, "No run to show");
        return;
      }
      const gap = width / this.axes.length;
      const scales = this.axes.map((column) => {
        const { log, cut: cut2 } = scaleOf(column);
        const { low, high } = cut2 ?? column;
        return new Scale(low, high, height - FOOT2, HEAD2 + 8, log);
      });
      const across = (i) => (i + 0.5) * gap;
      const some = this.shown.some((row) => !picked[row]);
      for (const wanted of some ? [0, 1] : [1]) {
        for (const row of this.shown) {
          if (picked[row] !== wanted) continue;
          const apart = (data.case[row] - (data.cases.length - 1) / 2) * this.apart;
          const points = this.axes.flatMap(
            ({ v, role }, i) => v[row] === null ? [] : [[across(i), scales[i].at(v[row]) + (role === "metric" ? 0 : apart)]]
          );
          const strong = row === state.hover || row === state.open;
          this.line(context, row, points, wanted ? strong ? 1 : this.alpha() : 0.07);
          if (wanted) this.lines.push({ row, points });
        }
      }
      for (const { row, points } of this.lines) {
        if (row === state.hover || row === state.open) this.line(context, row, points, 1);
      }
      this.axes.forEach((column, i) => this.axis(context, column, scales[i], across(i), gap, i % 2));
    }
    alpha() {
      const count2 = this.shown.length;
      return count2 > 600 ? 0.16 : count2 > 150 ? 0.3 : 0.6;
    }
    line(context, row, points, alpha) {
      context.globalAlpha = alpha;
      context.strokeStyle = caseColour(data.case[row]);
      context.lineWidth = alpha === 1 ? 2.4 : 1.1;
      context.setLineDash(isOk(row) ? [] : [3, 3]);
      context.beginPath();
      for (const [x, y] of points) context.lineTo(x, y);
      context.stroke();
      context.setLineDash([]);
      context.globalAlpha = 1;
    }
    axis(context, column, scale, at, gap) {
      context.strokeStyle = palette.soft;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(Math.round(at) + 0.5, scale.to);
      context.lineTo(Math.round(at) + 0.5, scale.from);
      context.stroke();
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillStyle = palette.ink;
      context.fillText(clip(context, column.label, gap - 8), at, 8);
      context.fillStyle = palette.soft;
      context.fillText(clip(context, column.unit, gap - 8), at, 22);
      const places = column.words ? column.words.map((word, i) => [i, word]) : scale.ticks(5).map((tick) => [tick, tickText(tick, column.unit)]);
      context.textAlign = "left";
      for (const [value, text] of places) {
        const y = scale.at(value);
        context.strokeStyle = palette.paper;
        context.lineWidth = 3;
        context.strokeText(clip(context, text, gap / 2 - 8), at + 6, y);
        context.fillText(clip(context, text, gap / 2 - 8), at + 6, y);
      }
    }
    nearest(event) {
      const [px, py] = place(this.panels.surface.canvas, event);
      let [best, least] = [null, NEAR2];
      for (const { row, points } of this.lines ?? []) {
        for (let i = 1; i < points.length; i += 1) {
          const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
          if (px < x0 || px > x1) continue;
          const far = Math.abs(y0 + (px - x0) / (x1 - x0) * (y1 - y0) - py);
          if (far < least) [best, least] = [row, far];
        }
      }
      return best;
    }
    move(event) {
      const row = this.nearest(event);
      hover(row);
      if (row === null) hideTip();
      else tipFor(row, this.axes, event.clientX, event.clientY);
    }
    leave() {
      hover(null);
      hideTip();
    }
    click(event) {
      const row = this.nearest(event);
      if (row !== null) openRun(row);
    }
  };

  // analysis/dashboard/assets/src/panels.js
  var Panels = class {
    constructor(host) {
      this.ways = {
        multiples: new Multiples(this),
        heat: new HeatMap(this),
        lines: new Parallel(this)
      };
      if (!this.ways.heat.possible) delete this.ways.heat;
      if (!this.ways.lines.possible) delete this.ways.lines;
      this.start = data.campaigns.length < 2 && this.ways.heat ? "heat" : "multiples";
      this.mode = this.start;
      this.choices = element("span", { class: "choosers" });
      this.area = element("div", { class: "area", tabindex: "0", role: "img" });
      const modes = element("span", { class: "modes", role: "group", "aria-label": "Shown as" });
      this.buttons = Object.entries(this.ways).map(([mode, { title }]) => {
        const button = element("button", { type: "button", "data-mode": mode }, title);
        button.addEventListener("click", () => {
          this.setMode(mode);
          this.draw();
          changed();
        });
        return button;
      });
      modes.append(...this.buttons);
      this.said = element("p", { class: "soft said" });
      host.append(element("div", { class: "head" }, this.choices, modes), this.area, this.said);
      this.surface = new Surface(
        this.area,
        (width) => this.way.tall(width),
        (...all) => this.way.paint(...all)
      );
      this.area.addEventListener("pointermove", (event) => this.way.move(event));
      this.area.addEventListener("pointerleave", () => this.way.leave());
      this.area.addEventListener("click", (event) => this.way.click(event));
      this.setMode(this.mode);
      views.push(this);
    }
    get way() {
      return this.ways[this.mode];
    }
    setMode(mode) {
      this.mode = mode;
      for (const button of this.buttons) {
        button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
      }
      this.choices.replaceChildren(...this.way.choosers());
    }
    // Something was chosen in one of the ways.
    chosen() {
      this.choices.replaceChildren(...this.way.choosers());
      this.draw();
      changed();
    }
    toAddress(address) {
      if (this.mode !== this.start) address.set("panels", this.mode);
      for (const way of Object.values(this.ways)) way.toAddress(address);
    }
    fromAddress(address) {
      const mode = address.get("panels");
      for (const way of Object.values(this.ways)) way.fromAddress(address);
      this.setMode(Object.hasOwn(this.ways, mode) ? mode : this.start);
    }
    draw() {
      this.way.count();
      this.surface.draw();
      this.area.setAttribute("aria-label", this.way.label());
      this.said.textContent = this.way.words();
    }
    mark() {
      if (this.way.marks) this.surface.draw();
    }
  };

  // analysis/dashboard/assets/src/clouds.js
  var LEAST = 5;
  var STYLES = [[], [6, 3], [1.5, 2.5], [7, 3, 1.5, 3]];
  function networks(seen, number) {
    const places = /* @__PURE__ */ new Map();
    for (const { row, px, py } of seen) {
      if (data.case[row] !== number || !isOk(row)) continue;
      const key = `${data.campaign[row]}/${data.point[row]}`;
      const [x, y, n] = places.get(key) ?? [0, 0, 0];
      places.set(key, [x + px, y + py, n + 1]);
    }
    return [...places.values()].map(([x, y, n]) => [x / n, y / n]);
  }
  var mean2 = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  function median(values) {
    const order = [...values].sort((a, b) => a - b);
    const middle = order.length >> 1;
    return order.length % 2 ? order[middle] : (order[middle - 1] + order[middle]) / 2;
  }
  function ellipse(points) {
    if (points.length < LEAST) return null;
    const [x, y] = [0, 1].map((k) => mean2(points.map((point) => point[k])));
    let [xx, xy, yy] = [0, 0, 0];
    for (const [px, py] of points) {
      xx += (px - x) ** 2;
      xy += (px - x) * (py - y);
      yy += (py - y) ** 2;
    }
    [xx, xy, yy] = [xx, xy, yy].map((sum) => sum / (points.length - 1));
    const apart = Math.hypot((xx - yy) / 2, xy);
    const [long, short] = [(xx + yy) / 2 + apart, (xx + yy) / 2 - apart];
    if (long <= 0) return null;
    const turn = Math.atan2(2 * xy, xx - yy) / 2;
    return { x, y, long: Math.sqrt(long), short: Math.sqrt(Math.max(short, 0)), turn };
  }
  function clouds(context, seen) {
    data.cases.forEach((_, number) => {
      const points = networks(seen, number);
      if (!points.length) return;
      context.strokeStyle = context.fillStyle = caseColour(number);
      const round = ellipse(points);
      if (round) {
        context.lineWidth = 1.3;
        context.setLineDash(STYLES[(number + (number >> 3)) % STYLES.length]);
        context.beginPath();
        context.ellipse(round.x, round.y, round.long, round.short, round.turn, 0, 2 * Math.PI);
        context.stroke();
        context.setLineDash([]);
      }
      context.beginPath();
      const middle = [0, 1].map((k) => median(points.map((point) => point[k])));
      mark(context, caseShape(number), ...middle, 6.5);
      context.fill();
      context.strokeStyle = palette.paper;
      context.lineWidth = 1;
      context.stroke();
    });
  }

  // analysis/dashboard/assets/src/scatter.js
  var FEW2 = 200;
  var NEAR3 = 16;
  var Scatter = class {
    constructor(host, number, x, y) {
      this.number = number;
      this.start = { x, y };
      this.x = columns.get(x);
      this.y = columns.get(y);
      this.logX = scaleOf(this.x).log;
      this.logY = scaleOf(this.y).log;
      this.whole = false;
      this.drag = null;
      this.yTools = element("div", { class: "axis y" });
      this.xTools = element("div", { class: "axis x" });
      this.area = element("div", {
        class: "area",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "scatter plot"
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
        ["x", this.xTools]
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
          ({ words }) => !words
        );
        host.append(choice);
        if (canLog(this[which])) host.append(this.logButton(which === "x" ? "logX" : "logY"));
      }
      const curves = ofColumn(this.y);
      const beside2 = curves.map(({ name }) => `, beside ${name}`).join("");
      this.area.setAttribute("aria-label", `${full(this.y)} against ${full(this.x)}${beside2}`);
      this.theoryKey.hidden = !curves.length;
      this.theoryKey.replaceChildren(...keyOf(this.y));
    }
    logButton(name) {
      const button = element(
        "button",
        { type: "button", class: "log", "aria-pressed": String(this[name]) },
        "log"
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
        ["y", this.logY]
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
        return !range || value >= range.low && value <= range.high;
      });
    }
    draw() {
      this.base.draw();
      this.over.draw();
      this.tellOutside();
    }
    // A line on the runs beyond the axes, with a button that shows them.
    tellOutside() {
      const known2 = rows.filter(
        (row) => filtered[row] && this.x.v[row] !== null && this.y.v[row] !== null
      );
      const far = known2.filter((row) => !this.inside(row));
      this.outside.hidden = !far.length;
      if (!far.length) return;
      const near = new Set(known2.filter((row) => this.inside(row)).map((row) => data.case[row]));
      const gone = [...new Set(far.map((row) => data.case[row]))].filter(
        (number) => !near.has(number)
      );
      const names = gone.map((number) => data.cases[number].name).join(", ");
      const where = this.whole ? "far from the others" : "outside";
      const text = `${far.length} of ${many(known2.length, "run")} ${where}${names ? `, all of ${names}` : ""}. `;
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
      const range = (axis) => this.whole ? null : this.cut(axis);
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
        if (this.logX && across <= 0 || this.logY && up <= 0) continue;
        if (!this.whole && !this.inside(row)) continue;
        this.seen.push({ row, px: this.sx.at(across), py: this.sy.at(up) });
      }
      this.size = this.seen.length > 600 ? 2.6 : this.seen.length > 200 ? 3.1 : 3.8;
      const some = state.brush !== null;
      if (some) this.points(context, (row) => !picked[row], 0.13);
      this.points(context, (row) => picked[row], this.seen.length > FEW2 ? 0.62 : 0.9);
      for (const curve of ofColumn(this.y)) this.theory(context, curve);
      if (this.x.role === "metric" && this.y.role === "metric" && this.x !== this.y) {
        clouds(
          context,
          this.seen.filter(({ row }) => picked[row] && this.inside(row))
        );
      }
      if (!this.seen.length) note(context, width, height, "No run to show");
    }
    // Hollow marks; over a factor with few values, a dashed line joins their means.
    theory(context, curve) {
      const known2 = this.seen.filter(({ row }) => curve.v[row] !== null);
      const shownRows = known2.filter(({ row }) => !this.logY || curve.v[row] > 0);
      const columnsOf = /* @__PURE__ */ new Map();
      for (const { row, px } of shownRows) {
        columnsOf.set(px, [...columnsOf.get(px) ?? [], curve.v[row]]);
      }
      if (!this.x.values) {
        for (const { row, px } of shownRows) hollow(context, curve, px, this.sy.at(curve.v[row]));
        return;
      }
      const means = [...columnsOf].map(([px, all]) => [px, this.sy.at(all.reduce((a, b) => a + b, 0) / all.length)]).sort(([a], [b]) => a - b);
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
        context.lineWidth = 1.3;
        if (this.seen.length > FEW2) context.fill();
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
      for (const row of /* @__PURE__ */ new Set([state.open, state.hover])) {
        if (row === null) continue;
        const points = siblings(row).map((other) => this.where(other)).filter(Boolean);
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
        Math.round(bottom - top)
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
      let least = NEAR3 * NEAR3;
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
      const clip2 = (value, a, b) => Math.min(Math.max(value, Math.min(a, b)), Math.max(a, b));
      const across = [this.drag.px, px].map((p) => this.sx.back(clip2(p, this.sx.from, this.sx.to))).sort((a, b) => a - b);
      const up = [this.drag.py, py].map((p) => this.sy.back(clip2(p, this.sy.from, this.sy.to))).sort((a, b) => a - b);
      state.brush = {
        from: this,
        x: this.x.key,
        y: this.y.key,
        x0: across[0],
        x1: across[1],
        y0: up[0],
        y1: up[1]
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
      const order = this.seen.filter((p) => picked[p.row]).sort((a, b) => column.v[a.row] - column.v[b.row] || a.row - b.row);
      if (!order.length) return;
      const now = order.findIndex((p) => p.row === state.hover);
      const next = now < 0 ? 0 : Math.min(order.length - 1, Math.max(0, now + (across || up)));
      const point = order[next];
      hover(point.row);
      const box = this.base.canvas.getBoundingClientRect();
      tipFor(point.row, [this.x, this.y], box.left + point.px, box.top + point.py);
    }
  };

  // analysis/dashboard/assets/src/spread.js
  var LINE2 = 24;
  var LEAST_BOX = 5;
  var HEAD3 = 22;
  var Spread = class {
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
        (...all) => this.paint(...all)
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
        ({ words }) => !words
      );
      const by = chooser(
        "",
        "Batches of",
        change((key) => {
          this.by = key ? columns.get(key) : null;
        }),
        (c) => c.role !== "metric",
        "case alone"
      );
      this.head.append(
        element("h2", {}, "Distribution of"),
        metric,
        element("span", {}, "by"),
        by,
        element("span", { class: "modes", role: "group", "aria-label": "Drawn as" }, boxes, cdf)
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
        name
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
      const at = (row) => this.by ? parts.findIndex((batch) => this.by.v[row] !== null && inBatch(this.by.v[row], batch)) : 0;
      this.curves = ofColumn(this.metric);
      const found = parts.map((batch) => ({
        batch,
        cases: data.cases.map(() => []),
        theory: data.cases.map(() => this.curves.map(() => []))
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
      this.shown = data.cases.map((_, number) => number).filter((number) => found.some((g) => g.cases[number].length));
      this.found = found;
      const all = found.flatMap((group) => [
        ...group.cases.flatMap((v) => [v[0], v[v.length - 1]]),
        ...group.theory.flat().flatMap((v) => [mean3(v)])
      ]).filter((v) => v !== void 0);
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
      return this.found.length * (this.shown.length * LINE2 + (this.by ? HEAD3 : 4)) + 30;
    }
    grid(width) {
      if (!this.by) return [1, 240];
      const across = Math.max(1, Math.min(this.found.length, Math.floor(width / 190)));
      return [across, 190];
    }
    draw() {
      this.count();
      this.key.replaceChildren(...this.mode === "boxes" ? keyOf(this.metric) : []);
      this.surface.draw();
      const said = [];
      for (const group of this.found) {
        for (const number of this.shown) {
          const values = group.cases[number];
          if (values.length) {
            said.push(
              `${data.cases[number].name}${group.batch ? `, ${batchName(group.batch, this.by)}` : ""}: median ${shown(quantile(values, 0.5), this.metric.unit)} of ${values.length}`
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
        context.moveTo(at, this.by ? HEAD3 - 6 : 0);
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
            top + HEAD3 / 2
          );
          top += HEAD3;
        } else top += 4;
        for (const number of this.shown) {
          this.box(context, x, group.cases[number], number, top + LINE2 / 2, right, width);
          this.curves.forEach((curve, i) => {
            const theory = mean3(group.theory[number][i]);
            if (theory !== void 0) hollow(context, curve, x.at(theory), top + LINE2 / 2);
          });
          top += LINE2;
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
        const at = y + ((i + 1) * 0.618034 % 1 - 0.5) * (LINE2 - 10);
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
      this.found.forEach((group, place2) => {
        const left = place2 % across * wide;
        const top = Math.floor(place2 / across) * high;
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
              wide - 30
            ),
            x.from,
            top + 4
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
  };
  var mean3 = (values) => values.length ? values.reduce((a, b) => a + b, 0) / values.length : void 0;
  var number_ = (value) => formatNumber(value, 3);

  // analysis/dashboard/assets/src/table.js
  var ROW = 27;
  var SPARE = 6;
  function decimals(column) {
    if (column.known.every((value) => Number.isInteger(value))) return 0;
    const size = Math.max(Math.abs(column.low), Math.abs(column.high)) || 1;
    return Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(size))));
  }
  function even(value, places) {
    return value === null ? "–" : value.toFixed(places).replace("-", "−");
  }
  var Runs = class {
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
        "Save as CSV"
      );
      host.append(element("div", { class: "head" }, element("h2", {}, "Runs"), this.note, this.save));
      this.table = element("table");
      this.scroll = element(
        "div",
        {
          class: "scroll",
          tabindex: "0",
          role: "region",
          "aria-label": "Table of runs; arrows move, Enter opens"
        },
        this.table
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
        ["verdict", "verdict", ""]
      ];
      this.heads = /* @__PURE__ */ new Map();
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
              name.replace(/path (\d)/, "path $1"),
              unit ? element("small", {}, unit) : null
            );
            const cell = element("th", { scope: "col", "aria-sort": "none" }, button);
            this.heads.set(key, cell);
            button.addEventListener("click", () => {
              this.sortBy(key, this.sort.key === key && !this.sort.down);
              this.draw();
              changed();
            });
            return cell;
          })
        )
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
      const count2 = Math.ceil(this.scroll.clientHeight / ROW) + 2 * SPARE;
      const last = Math.min(state.order.length, first + count2);
      const wide = this.columns.length + 3;
      const gap = (high) => element(
        "tr",
        { "aria-hidden": "true" },
        element("td", { colspan: wide, class: "gap", style: `height:${high}px` })
      );
      const made2 = state.order.slice(first, last).map((row, i) => this.line(row, first + i));
      this.body.replaceChildren(
        ...first ? [gap(first * ROW)] : [],
        ...made2,
        ...last < state.order.length ? [gap((state.order.length - last) * ROW)] : []
      );
      this.mark();
    }
    line(row, place2) {
      const line = element(
        "tr",
        { "data-row": row, class: place2 === this.active ? "active" : "" },
        element("td", { class: "case" }, swatch(data.case[row]), data.cases[data.case[row]].name),
        element("td", { class: "n" }, String(data.point[row])),
        ...this.columns.map(
          (c) => element(
            "td",
            { class: "n" },
            c.words || c.unit === "bytes" ? named(c.v[row], c) : even(c.v[row], c.decimals)
          )
        ),
        element(
          "td",
          { class: `verdict ${data.verdicts[data.verdict[row]]}` },
          data.verdicts[data.verdict[row]]
        )
      );
      line.addEventListener("click", () => {
        this.active = place2;
        openRun(row);
      });
      line.addEventListener("pointerenter", () => hover(row));
      line.addEventListener("pointerleave", () => hover(null));
      return line;
    }
    key(event) {
      if (event.target !== this.scroll) return;
      const page = Math.max(1, Math.floor(this.scroll.clientHeight / ROW) - 2);
      const step2 = {
        ArrowDown: 1,
        ArrowUp: -1,
        PageDown: page,
        PageUp: -page,
        Home: -Infinity,
        End: Infinity
      }[event.key];
      if (event.key === "Enter" && state.order.length) openRun(state.order[this.active]);
      if (step2 === void 0) return;
      event.preventDefault();
      this.active = Math.min(state.order.length - 1, Math.max(0, this.active + step2));
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
      const cell = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      const lines2 = [
        ["id", "case", "point", "repetition", "verdict", ...own.map((c) => c.key)].join(",")
      ];
      for (const row of state.order) {
        const text = (c) => c.words ? cell(c.words[c.v[row]]) : String(c.v[row]);
        const values = own.map((c) => c.v[row] === null ? "" : text(c));
        lines2.push(
          [
            data.id[row],
            cell(data.cases[data.case[row]].name),
            data.point[row],
            data.repetition[row],
            data.verdicts[data.verdict[row]],
            ...values
          ].join(",")
        );
      }
      const link = element("a", {
        download: "runs.csv",
        href: URL.createObjectURL(new Blob([`${lines2.join("\n")}
`], { type: "text/csv" }))
      });
      link.click();
      URL.revokeObjectURL(link.href);
    }
  };

  // analysis/dashboard/assets/src/main.js
  var count = document.getElementById("count");
  var resetButton = document.getElementById("reset");
  document.getElementById("title").textContent = data.title;
  document.documentElement.lang = "en";
  var themes = ["auto", "light", "dark"];
  var themeButton = document.getElementById("theme");
  function setTheme(name) {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    themeButton.dataset.now = name;
    themeButton.title = `Colours: ${name === "auto" ? "as the system has them" : name}`;
    readTheme();
  }
  function redraw() {
    readTheme();
    for (const view of views) {
      if (view.theme) view.theme();
      view.draw();
    }
    if (state.open !== null) openRun(state.open, false);
  }
  themeButton.addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--scheme").trim() === "dark";
    setTheme(dark ? "light" : "dark");
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  setTheme(themes[0]);
  makeFilters();
  new Scatter(document.getElementById("scatter1"), 1, data.start.x1, data.start.y1);
  new Scatter(document.getElementById("scatter2"), 2, data.start.x2, data.start.y2);
  new Spread(document.getElementById("spread"));
  new Panels(document.getElementById("panels"));
  new Runs(document.getElementById("runs"));
  views.push({
    draw() {
      const shownRows = rows.filter((row) => picked[row]);
      const points = new Set(shownRows.map(networkKey)).size;
      const bad = shownRows.filter((row) => !isOk(row)).length;
      const words = [
        shownRows.length === data.count ? many(data.count, "run") : `${shownRows.length} of ${many(data.count, "run")}`,
        many(points, "network"),
        bad ? `${bad} not ok` : "all ok"
      ];
      count.textContent = shownRows.length ? words.join(" · ") : `none of ${many(data.count, "run")}`;
      resetButton.disabled = !somethingIsLeftOut();
    }
  });
  resetButton.addEventListener("click", reset);
  var stateLines = data.campaigns.flatMap(
    ({ name, state: lines2 }) => lines2.map((line) => data.campaigns.length > 1 ? `${name}: ${line}` : line)
  );
  if (stateLines.length) {
    const host = document.getElementById("state");
    host.hidden = false;
    host.append(...stateLines.map((line) => element("p", {}, line.replaceAll("`", ""))));
  }
  var made = document.getElementById("made");
  for (const campaign of data.campaigns) {
    const words = Object.entries(campaign.made);
    if (!words.length) continue;
    made.append(
      element(
        "details",
        {},
        element("summary", {}, `How ${campaign.name} was made`),
        element(
          "dl",
          {},
          ...words.map(
            ([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))
          )
        )
      )
    );
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (state.open !== null) closeRun();
    else if (state.brush) {
      state.brush = null;
      refilter();
    }
  });
  if (matchMedia("(max-width: 900px)").matches) document.getElementById("filters").open = false;
  matchMedia("(max-width: 900px)").addEventListener("change", (event) => {
    document.getElementById("filters").open = !event.matches;
  });
  read(true);
  performance.mark("drawn");
})();
