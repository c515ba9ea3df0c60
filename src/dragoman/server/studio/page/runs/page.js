// One run: its curves, samples, corpus check, card and recipe; live while it trains.
import { get } from "../api.js";
import { make } from "../dom.js";
import { icon } from "../icons.js";
import { markdown } from "../markdown.js";
import { figure, whole } from "../numbers.js";
import { copyButton, loading, pageHead, problem } from "../components.js";
import { curves } from "./curves.js";
import { corpusCheck } from "./corpus_check.js";
import { stateChip } from "./list.js";
import { polling } from "./polling.js";
import { samples } from "./samples.js";

const EVERY = 2000;

export function page(holder, name, { title, overview }) {
  title(name);
  const state = make("div", { class: "row" });
  const figures = make("dl", { class: "figures" });
  const meter = make("div", { class: "meter" }, make("i"));
  const drawn = curves();
  const parts = {
    samples: make("section", { class: "block" }),
    findings: make("section", { class: "block" }),
    card: make("section", { class: "block" }),
    recipe: make("section", { class: "block" }),
  };
  const body = make("div", {}, loading());
  holder.append(pageHead(name, "", state, ["#runs", "Runs"]), body);
  const rows = [];
  let next = 0,
    shown = false;

  const ask = async (signal) => {
    try {
      const told = await get(`/studio/api/runs/${encodeURIComponent(name)}?after=${next}`, { signal });
      if (told.restarted || told.next < next) rows.length = 0; // the run was begun anew
      rows.push(...told.rows);
      next = told.next;
      if (!shown) {
        shown = true;
        body.replaceChildren(
          make("div", { class: "sheet pad stack" }, figures, meter),
          drawn.element,
          ...Object.values(parts),
        );
      }
      fill(told);
      return told.state === "training" || told.state === "new" ? EVERY : 0;
    } catch (failure) {
      if (failure.kind === "stale") return 0;
      if (!shown) body.replaceChildren(problem(failure, () => again.now()));
      return failure.kind === "gone" || failure.kind === "busy" ? EVERY * 2 : 0;
    }
  };
  let latest = { samples: "", card: "", recipe: "", findings: "" };
  const changed = (key, value) => {
    const text = JSON.stringify(value ?? null);
    const other = latest[key] !== text;
    latest = { ...latest, [key]: text };
    return other;
  };
  function fill(told) {
    state.replaceChildren(
      stateChip(told.state),
      make("span", { class: "faint small", text: told.kind }),
      ...(overview.translators.some((one) => one.name === name)
        ? [make("a", { href: "#translate", class: "small", text: "Translate with this run" })]
        : []),
    );
    summary(figures, told, rows);
    meter.hidden = !told.steps;
    meter.firstChild.style.width = `${Math.min(100, (100 * told.step) / (told.steps || 1))}%`;
    drawn.update(rows, told.state);
    if (changed("samples", told.samples)) samples(parts.samples, told.samples ?? []);
    const found = [told.findings, told.pairs];
    if (changed("findings", found)) corpusCheck(parts.findings, ...found);
    if (changed("card", told.card)) card(parts.card, told.card);
    if (changed("recipe", told.recipe)) recipe(parts.recipe, told.recipe);
  }
  const again = polling(ask);
  return () => {
    again.stop();
    drawn.leave();
  };
}

function summary(figures, told, rows) {
  const last = (kind, key) => rows.findLast((row) => row.kind === kind && Number.isFinite(row[key]))?.[key];
  const entries = [
    ["Step", whole(told.step ?? 0), told.steps ? `of ${whole(told.steps)}` : ""],
    ["Training loss", last("train", "loss"), ""],
    ["Validation loss", last("validation", "loss"), ""],
    ["Validation perplexity", last("validation", "perplexity"), ""],
    ["Validation BLEU", last("validation", "bleu"), ""],
    ["Validation chrF", last("validation", "chrf"), ""],
    ["Validation accuracy", times100(last("validation", "accuracy")), "%"],
    ["Validation recall@10", times100(last("validation", "recall_at_10")), "%"],
    ["Validation bits per byte", last("validation", "bits_per_byte"), ""],
    [`Test ${told.score?.name}`, told.score?.set === "test" ? told.score.value : undefined, ""],
    ["Speed", last("train", "tokens_per_second"), "tokens / s"],
  ].filter(([, value]) => value !== undefined);
  figures.replaceChildren(
    ...entries.map(([name, value, unit]) =>
      make(
        "div",
        {},
        make("dt", { text: name }),
        make(
          "dd",
          {},
          typeof value === "number" ? figure(value) : value,
          unit && make("small", { text: unit }),
        ),
      ),
    ),
  );
}

const times100 = (share) => (share === undefined ? undefined : share * 100);

function card(part, text) {
  part.replaceChildren();
  if (!text) return;
  part.append(fold("Model card", true, make("div", { class: "sheet pad" }, markdown(text))));
}

function recipe(part, text) {
  part.replaceChildren();
  if (!text) return;
  part.append(
    fold(
      "Recipe",
      false,
      make(
        "div",
        { class: "copied" },
        copyButton(() => text, "Copy the recipe"),
        make(
          "pre",
          { class: "code tall", tabindex: "0", role: "region", "aria-label": "Recipe" },
          make("code", { text }),
        ),
      ),
    ),
  );
}

function fold(title, open, content) {
  return make(
    "details",
    { class: "fold", open },
    make("summary", {}, icon("right"), make("h2", { text: title })),
    content,
  );
}
