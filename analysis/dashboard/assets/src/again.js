// Commands that have a run again, each with a button that copies it.

import { data, element } from "./data.js";

// The page's own file name, without the folders of this machine.
const fileName = () => decodeURIComponent(location.pathname).split("/").pop() || "dashboard.html";

export function again(row) {
  const { root } = data.campaigns[data.campaign[row]];
  const id = data.id[row];
  return [
    command("Execute it once more and compare every byte", `mpbench verify ${root} --run ${id}`),
    command("This run's time line, for somebody who has the same file", `${fileName()}#run=${id}`),
    command("A prompt inside its network", `mpbench shell ${root}/experiment.yaml --run ${id}`),
    element("p", { class: "soft" }, "Its files: ", element("code", {}, `${root}/runs/${id}/`)),
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
    element("div", {}, line, button),
  );
}
