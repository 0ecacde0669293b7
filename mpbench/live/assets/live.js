// The live page: asks how the campaigns stand, and shows each new drawing of them.

"use strict";

const POLL_MS = 1000;
const TOUCH_MS = 3000; // So long after the reader's last touch, a drawing stays.

const part = (id) => document.getElementById(id);
const frames = part("frames");
const follow = part("follow");
const renew = part("renew");
let latest = null; // what the server said last
let tab = 0;
let shown = ""; // the address in the frame
let touchedMs = -Infinity;
let ended = false; // The last state is there.
let loading = Promise.resolve(); // until the drawing that comes is there
let take = null; // puts the last drawing in place, while it waits for the reader

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function span(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function ending(campaign) {
  if (campaign.waiting) return "waiting for mpbench run";
  if (campaign.working) {
    return campaign.eta_s === null ? "running" : `running, ${span(campaign.eta_s)} to go`;
  }
  return campaign.finished < campaign.planned ? "not running" : "finished";
}

function progress(campaign, several) {
  const verdicts = Object.entries(campaign.verdicts);
  const bar = element("div", {
    class: "bar",
    role: "progressbar",
    "aria-label": campaign.name,
    "aria-valuemin": 0,
    "aria-valuemax": campaign.planned,
    "aria-valuenow": campaign.finished,
  });
  for (const [verdict, count] of verdicts) {
    const piece = element("i", { class: verdict });
    piece.style.width = `${(100 * count) / Math.max(1, campaign.planned)}%`;
    bar.append(piece);
  }
  const words = element(
    "div",
    { class: "words" },
    ...(several ? [campaign.name] : []),
    element(
      "b",
      {},
      `${campaign.finished} of ${campaign.planned} run${campaign.planned === 1 ? "" : "s"}`,
    ),
    ...verdicts.map(([verdict, count]) =>
      element("span", { class: `verdict ${verdict}` }, `${count} ${verdict}`),
    ),
    element("span", {}, ending(campaign)),
    element("span", { class: "soft" }, campaign.root),
  );
  return element("div", { class: "campaign" }, words, bar);
}

function line(run, when, verdict, reason, workers) {
  return element(
    "tr",
    { "data-run": run.id },
    element("td", {}, when),
    element("td", {}, run.repetition ? `${run.point}, repetition ${run.repetition}` : run.point),
    element("td", {}, run.case),
    element("td", {}, element("span", { class: `verdict ${verdict}` }, verdict)),
    ...(workers ? [element("td", {}, run.worker ?? "")] : []),
    element("td", {}, reason),
  );
}

function lines(campaign, workers) {
  return [
    ...campaign.flights.map((run) => line(run, `for ${span(run.for_s)}`, "running", "", workers)),
    ...campaign.newest.map((run) =>
      line(run, `${span(run.ago_s)} ago`, run.verdict, run.reason, workers),
    ),
  ];
}

function address() {
  return latest.tabs.length ? `v${latest.version}/${latest.tabs[tab][1]}` : "";
}

// What the reader does in a frame; a drawing is not taken from under their hands.
function listen(frame) {
  const touch = () => {
    touchedMs = performance.now();
  };
  for (const name of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "input"]) {
    frame.contentWindow.addEventListener(name, touch, { passive: true });
  }
}

// The new drawing loads out of sight, and takes the place and the state of the old one:
// at once, or when `settle` says so.
function show(later = false) {
  const wanted = address();
  if (!wanted || wanted === shown) return;
  const old = frames.querySelector("iframe:not(.coming)");
  const same = old && shown.split("/")[1] === wanted.split("/")[1];
  const fragment = same ? old.contentWindow.location.hash : "";
  shown = wanted;
  for (const frame of frames.querySelectorAll(".coming")) frame.remove();
  const title = latest.tabs[tab][0];
  const coming = element("iframe", { class: "coming", title, src: wanted + fragment });
  const place = () => {
    if (same) {
      const { scrollX, scrollY } = old.contentWindow;
      coming.contentWindow.scrollTo(scrollX, scrollY);
    }
    coming.classList.remove("coming");
    if (old) old.remove();
    listen(coming);
  };
  loading = new Promise((done) => {
    coming.addEventListener("load", () => {
      done();
      if (!coming.isConnected) return;
      if (!later) return place();
      take = place;
      settle();
    });
  });
  frames.append(coming);
}

const idle = () => performance.now() - touchedMs > TOUCH_MS;

// The last drawing does not come again, so it waits here for a reader's hand to rest.
function settle() {
  if (take && follow.checked && idle()) {
    take();
    take = null;
  }
  if (take) renew.hidden = follow.checked;
}

function tabs() {
  const buttons = latest.tabs.map(([name], number) => {
    const button = element("button", { "aria-pressed": String(number === tab) }, name);
    button.addEventListener("click", () => {
      tab = number;
      history.replaceState(null, "", `#${encodeURIComponent(name)}`);
      tabs();
      show();
    });
    return button;
  });
  part("tabs").replaceChildren(...(buttons.length > 1 ? buttons : []));
}

function draw() {
  document.title = latest.title;
  part("title").textContent = latest.title;
  const several = latest.campaigns.length > 1;
  part("campaigns").replaceChildren(...latest.campaigns.map((c) => progress(c, several)));
  const workers = latest.campaigns.some((c) => c.flights.some((run) => run.worker));
  part("worker").hidden = !workers;
  part("lines").replaceChildren(...latest.campaigns.flatMap((c) => lines(c, workers)));
  part("note").textContent = latest.note;
  if (part("tabs").dataset.known !== JSON.stringify(latest.tabs)) {
    part("tabs").dataset.known = JSON.stringify(latest.tabs);
    const named = latest.tabs.findIndex(
      ([name]) => `#${encodeURIComponent(name)}` === location.hash,
    );
    tab = Math.max(0, named);
    tabs();
  }
  if (!shown || (follow.checked && idle())) show();
  renew.hidden = follow.checked || address() === shown;
}

renew.addEventListener("click", () => {
  if (take) take();
  else show();
  take = null;
  renew.hidden = true;
});

async function ask(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// The server keeps this question until the end: timers of a page out of sight hardly run.
async function hearTheEnd() {
  try {
    while (!ended) {
      const state = await ask("end.json");
      ended = state.ended;
      if (!ended) continue;
      latest = state;
      draw();
      show(true);
      await loading;
      await ask("shown.json");
    }
  } catch {
    // `poll` says that the command has ended.
  }
}

async function poll() {
  try {
    const state = await ask("state.json");
    if (!ended) latest = state;
    part("connection").textContent = "";
    draw();
  } catch {
    part("connection").textContent = "The command has ended; this page changes no more.";
    settle();
  }
  setTimeout(poll, POLL_MS);
}

poll();
hearTheEnd();
