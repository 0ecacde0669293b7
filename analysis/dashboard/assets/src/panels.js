// Several runs at a glance, in one of three ways: small multiples, a heat map, or a line per
// run across the factors.

import { Surface } from "./canvas.js";
import { data, element } from "./data.js";
import { HeatMap } from "./heat.js";
import { Multiples } from "./multiples.js";
import { Parallel } from "./parallel.js";
import { changed, views } from "./state.js";

export class Panels {
  constructor(host) {
    this.ways = {
      multiples: new Multiples(this),
      heat: new HeatMap(this),
      lines: new Parallel(this),
    };
    if (!this.ways.heat.possible) delete this.ways.heat;
    if (!this.ways.lines.possible) delete this.ways.lines;
    // Campaigns stand side by side; else a map shows where a metric is high.
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
      (...all) => this.way.paint(...all),
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
}
