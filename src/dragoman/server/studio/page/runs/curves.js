// The curves of a run: loss, and the scores of its validations.
import { make } from "../dom.js";
import { figure } from "../numbers.js";
import { choices } from "../components.js";
import { watchTheme } from "../themes.js";
import { colours, CONFIG, layout, plotly } from "./plotting.js";

const NO_SCORES = new Set([
  "step",
  "epoch",
  "loss",
  "perplexity",
  "seconds",
  "tokens",
  "tokens_per_second",
  "rate",
  "gradient_norm",
]);
const NAMES = {
  bleu: "BLEU",
  chrf: "chrF",
  bleu_all_references: "BLEU by all references",
  chrf_all_references: "chrF by all references",
  ter: "TER",
  macro_f1: "macro F1",
};
const SHARES = /^(accuracy|macro_f1|majority|recall_at_|chance_at_)/; // of one; shown in percent
const state = { log: false };

/** Make the plots; `update` draws rows, `leave` frees them. */
export function curves() {
  const loss = plot("Loss"),
    scores = plot("Validation scores");
  const scale = make("div");
  const element = make(
    "section",
    { class: "block", hidden: true },
    make("div", { class: "block-head" }, make("h2", { text: "Curves" }), scale),
    make("div", { class: "plots" }, loss.element, scores.element),
  );
  let rows = [],
    running = "";
  const redraw = () => {
    element.hidden = !rows.length;
    if (!rows.length) return;
    loss.draw(lossSeries(rows), { log: state.log });
    scores.draw(
      scoreSeries(rows),
      {},
      running === "training" ? "No validation yet." : "There were no validations.",
    );
  };
  const controls = () =>
    scale.replaceChildren(
      choices(
        "Loss",
        [["linear", "Linear"], ["log", "Log"]],
        state.log ? "log" : "linear",
        (to) => {
          state.log = to === "log";
          redraw();
        },
      ),
    );
  controls();
  const still = watchTheme(redraw);
  return {
    element,
    update(all, now) {
      rows = all;
      running = now;
      redraw();
    },
    leave() {
      still();
      loss.leave();
      scores.leave();
    },
  };
}

const points = (rows, kind, key, times = 1) => {
  const own = rows.filter((row) => row.kind === kind && Number.isFinite(row[key]));
  return { x: own.map((row) => row.step), y: own.map((row) => row[key] * times) };
};

function lossSeries(rows) {
  return [
    { name: "training", ...points(rows, "train", "loss"), looks: "first" },
    { name: "validation", ...points(rows, "validation", "loss"), looks: "second" },
  ].filter((one) => one.x.length);
}

function scoreSeries(rows) {
  const tested = rows.filter((row) => row.kind === "validation");
  const keys = [
    ...new Set(
      tested.flatMap((row) =>
        Object.keys(row).filter((key) => Number.isFinite(row[key]) && !NO_SCORES.has(key)),
      ),
    ),
  ];
  return keys.slice(0, 4).map((key, at) => ({
    name: NAMES[key] ?? key.replaceAll("_", " "),
    ...points(rows, "validation", key, SHARES.test(key) ? 100 : 1),
    looks: ["first", "second", "third", "fourth"][at],
  }));
}

/** The least and the greatest; a log axis has no place for what is not positive. */
function extent(series, axis, positive = false) {
  const all = series.flatMap((one) => one[axis]).filter((value) => !positive || value > 0);
  const of = (choose) => all.reduce((one, other) => choose(one, other), all[0] ?? 1);
  return [of(Math.min), of(Math.max)];
}

const courseOf = ({ x, y }) =>
  `from ${figure(y[0])} at step ${x[0]} to ${figure(y.at(-1))} at step ${x.at(-1)}`;

function plot(title) {
  const legend = make("p", { class: "legend small" });
  const box = make("div", { class: "plot" });
  const figureBox = make(
    "figure",
    { class: "sheet pad" },
    make("figcaption", {}, make("h3", { text: title }), legend),
    box,
  );
  let last = "";
  return {
    element: figureBox,
    async draw(series, options, nothing = "") {
      legend.replaceChildren(
        ...series.map((one) =>
          make("span", { class: `key ${one.looks}`, text: `${one.name} ${figure(one.y.at(-1))}` }),
        ),
      );
      if (!series.length) {
        box.replaceChildren(make("p", { class: "faint", text: nothing }));
        last = "";
        return;
      }
      const { accent, warm, soft, faint } = colours();
      const paint = { first: accent, second: warm, third: soft, fourth: faint };
      const key = JSON.stringify([
        series.map((one) => [one.name, one.x.length, one.y.at(-1)]),
        options,
        accent,
      ]);
      if (key === last) return;
      if (!last) box.replaceChildren();
      last = key;
      box.setAttribute("role", "img");
      box.setAttribute(
        "aria-label",
        series.map((one) => `${title}, ${one.name}: ${courseOf(one)}`).join(". "),
      );
      try {
        const library = await plotly();
        if (!box.isConnected) return;
        await library.react(
          box,
          series.map((one) => ({
            type: "scatter",
            x: one.x,
            y: one.y,
            name: one.name,
            mode: one.x.length > 12 ? "lines" : "lines+markers",
            line: { color: paint[one.looks], width: 2, shape: "linear" },
            marker: { size: 6, color: paint[one.looks] },
            hovertemplate: "%{y:.4g}",
          })),
          layout({ ...options, x: extent(series, "x"), y: extent(series, "y", options.log) }),
          CONFIG,
        );
      } catch (error) {
        last = "";
        box.replaceChildren(make("p", { class: "faint", text: error.message }));
      }
    },
    leave() {
      globalThis.Plotly?.purge(box);
    },
  };
}
