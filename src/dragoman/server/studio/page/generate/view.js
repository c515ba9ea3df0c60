// Generate: a language model continues a prompt, and shows the alternatives of each token.
import { announce, make } from "../dom.js";
import { icon } from "../icons.js";
import { short } from "../numbers.js";
import { copyButton, pageHead, picker, problem } from "../components.js";
import { completion } from "./stream.js";
import { alternatives, tokenText } from "./tokens.js";

const memory = { run: null, prompt: "", temperature: 0.8, top_p: 0.95, max_tokens: 80, seed: 1 };

export function show(holder, { overview }) {
  memory.run = overview.language_models.some((one) => one.name === memory.run) ? memory.run : overview.language_models[0].name;
  let stopped = null;
  const prompt = make("textarea", {
    class: "input prompt-field",
    id: "prompt",
    rows: "4",
    dir: "auto",
    placeholder: "Once upon a time",
  });
  prompt.value = memory.prompt;
  const go = make("button", { type: "button", class: "button first" });
  const count = make("span", { class: "faint small number" });
  const trouble = make("div");
  const side = make("div", { class: "side" }, hint());
  const chose = (token, number) => side.replaceChildren(alternatives(token, continueFrom(number)));
  const text = tokenText({ chose });
  const copy = copyButton(() => text.element.textContent, "Copy the text");
  const paper = make(
    "section",
    { class: "sheet paper", "aria-label": "Generated text", hidden: true },
    text.element,
    make("div", { class: "pane-foot" }, count, copy),
  );

  const ready = (busy) => {
    go.replaceChildren(icon(busy ? "stop" : "generate"), busy ? "Stop" : "Generate");
    paper.classList.toggle("busy", busy);
  };
  const continueFrom = (number) => (other) =>
    run(memory.begun, memory.begun + text.before(number) + other.replaceAll("▁", " "));

  async function run(begun, whole) {
    stopped?.abort();
    const mine = new AbortController();
    stopped = mine;
    memory.begun = whole;
    paper.hidden = false;
    trouble.replaceChildren();
    side.replaceChildren(hint());
    text.begin(whole);
    ready(true);
    const began = performance.now();
    const settings = {
      model: memory.run,
      prompt: whole,
      max_tokens: memory.max_tokens,
      temperature: memory.temperature,
      top_p: memory.top_p,
      seed: memory.seed,
    };
    try {
      for await (const token of completion(settings, mine.signal)) {
        if (stopped !== mine) return;
        text.add(token);
        const seconds = (performance.now() - began) / 1000;
        const speed = Math.round(text.tokens.length / Math.max(seconds, 0.01));
        count.textContent = `${text.tokens.length} tokens · ${speed} tokens/s`;
      }
      announce(text.element.textContent);
    } catch (failure) {
      if (failure.kind !== "stale") trouble.replaceChildren(problem(failure, () => run(begun, whole)));
    } finally {
      if (stopped === mine) {
        stopped = null;
        ready(false);
      }
    }
  }
  const begin = () => {
    if (stopped) stopped.abort();
    else run(prompt.value, prompt.value);
  };
  go.addEventListener("click", begin);
  prompt.addEventListener("input", () => {
    memory.prompt = prompt.value;
  });
  prompt.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) begin();
    if (event.key === "Escape") stopped?.abort();
  });
  ready(false);

  const model = overview.language_models.find((one) => one.name === memory.run);
  const which = picker(
    "Language model",
    overview.language_models.map((one) => [
      one.name,
      [one.title || one.name, one.parameters && short(one.parameters)].filter(Boolean).join(" · "),
    ]),
    memory.run,
    (name) => {
      memory.run = name;
    },
  );
  holder.append(
    pageHead("Generate", "Continue a prompt. Select a token to see its alternatives.", which),
    make(
      "div",
      { class: "desk" },
      make(
        "div",
        { class: "stack" },
        make("div", { class: "field" }, make("label", { for: "prompt", text: "Prompt" }), prompt),
        make(
          "div",
          { class: "row" },
          go,
          make(
            "span",
            { class: "faint small wide-only" },
            "or ",
            make("kbd", { text: "Ctrl" }),
            " + ",
            make("kbd", { text: "Enter" }),
          ),
        ),
        trouble,
        paper,
      ),
      make(
        "aside",
        { class: "settings", "aria-label": "Settings and alternatives" },
        make(
          "div",
          { class: "sheet pad stack" },
          make("h2", { text: "Settings" }),
          range("Temperature", "temperature", 0, 2, 0.05),
          range("Top-p", "top_p", 0.05, 1, 0.05),
          range("Max tokens", "max_tokens", 8, Math.max(16, Math.min(512, model.max_tokens ?? 512)), 8),
          number("Seed", "seed"),
        ),
        make("div", { class: "sheet pad" }, side),
      ),
    ),
  );
  return () => stopped?.abort();
}

const hint = () =>
  make(
    "p",
    { class: "faint small" },
    "The stronger the tint, the less likely the token (before temperature and top-p). " +
      "Select one to see its alternatives and continue from there.",
  );

function range(words, key, least, most, step) {
  const output = make("output", { text: memory[key] });
  const input = make("input", { type: "range", min: least, max: most, step, "aria-label": words });
  input.value = memory[key];
  input.addEventListener("input", () => {
    memory[key] = Number(input.value);
    output.textContent = memory[key];
  });
  return make("label", { class: "range" }, make("span", {}, words, output), input);
}

function number(words, key) {
  const input = make("input", { type: "number", class: "input", min: "0", step: "1", inputmode: "numeric" });
  input.value = memory[key];
  input.addEventListener("input", () => {
    memory[key] = Math.max(0, Math.trunc(Number(input.value)) || 0);
  });
  return make("label", { class: "field" }, make("span", { text: words }), input);
}
