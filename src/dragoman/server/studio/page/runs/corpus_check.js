// The corpus check of a run: what was found in its corpus, and what training did about it.
import { make, bidi } from "../dom.js";
import { whole } from "../numbers.js";
import { chip } from "../components.js";

const TREATMENTS = {
  refuse: ["bad", "Training refuses this corpus until it is fixed."],
  drop: ["warn", "These lines are dropped."],
  repair: ["accent", "Repaired on reading."],
  keep: ["", "Kept unchanged; worth a look."],
};

export function corpusCheck(part, all, pairs) {
  part.replaceChildren();
  if (!all?.length && !Object.keys(pairs ?? {}).length) return;
  const counts = Object.entries(pairs ?? {})
    .map(([set, count]) => `${whole(count)} ${set}`)
    .join(", ");
  part.append(
    make(
      "div",
      { class: "block-head" },
      make("h2", { text: "Corpus check" }),
      counts && make("p", { class: "faint small", text: `Pairs: ${counts}` }),
    ),
  );
  if (!all?.length) {
    part.append(make("p", { class: "sheet pad faint", text: "No problems found." }));
    return;
  }
  part.append(make("ul", { class: "findings sheet" }, all.map(one)));
}

function one({ meaning, finding, treatment, set, count, lines, example }) {
  const [looks, words] = TREATMENTS[treatment] ?? ["", ""];
  const where = lines?.length
    ? `first at ${lines.length > 1 ? "lines" : "line"} ${lines.slice(0, 3).map(whole).join(", ")}`
    : "";
  const opening = (meaning || finding || "").replace(/^./u, (letter) => letter.toUpperCase());
  return make(
    "li",
    {},
    make(
      "div",
      { class: "finding-head" },
      chip(treatment, looks),
      make("strong", { text: opening }),
      make("span", {
        class: "faint small number",
        text: [`${whole(count)} in ${set}`, where].filter(Boolean).join(", "),
      }),
    ),
    make("p", { class: "faint small", text: words }),
    example && bidi(example, { tag: "p", class: "example-line" }),
  );
}
