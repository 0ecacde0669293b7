// The few words beside the pointer.

import { swatch } from "./canvas.js";
import { data, element, isOk, named } from "./data.js";
import { ofColumn } from "./theory.js";

const tip = document.getElementById("tip");

export function tipFor(row, columns, left, top) {
  const lines = columns.flatMap((column) => [
    element("div", {}, `${column.label}: ${named(column.v[row], column)}`),
    ...ofColumn(column)
      .filter((curve) => curve.v[row] !== null)
      .map((curve) =>
        element("div", { class: "soft" }, `${curve.name}: ${named(curve.v[row], column)}`),
      ),
  ]);
  const verdict = isOk(row) ? "" : `, ${data.verdicts[data.verdict[row]]}`;
  const what = `${data.cases[data.case[row]].name}, point ${data.point[row]}${verdict}`;
  showTip([element("strong", {}, swatch(data.case[row]), what), ...lines], left, top);
}

export function showTip(lines, left, top) {
  tip.replaceChildren(...lines);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const over = left + 16 + box.width > innerWidth;
  tip.style.left = `${Math.max(4, over ? left - box.width - 14 : left + 16)}px`;
  tip.style.top = `${Math.max(4, Math.min(innerHeight - box.height - 4, top + 12))}px`;
}

export function hideTip() {
  tip.hidden = true;
}
