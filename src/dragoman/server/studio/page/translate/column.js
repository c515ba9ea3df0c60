// One run's translation: its picker, its text, what is known about it.
import { latest, post } from "../api.js";
import { make } from "../dom.js";
import { short } from "../numbers.js";
import { copyButton, picker, problem } from "../components.js";
import { summaryChip } from "./confidence.js";
import { outputText } from "./output.js";
import { iconButton } from "./pickers.js";
import { notices } from "./warnings.js";

/**
 * Make a column.
 * @param {{name: string, pointed: Function, arrived: Function, closed?: Function}} given
 *   `pointed(column, sentence, word)`, `arrived(column)` after each answer
 */
export function column({ name, pointed, arrived, closed = null }) {
  const head = make("div", { class: "pane-head" });
  const output = outputText({ name, pointed: (sentence, word) => pointed(made, sentence, word) });
  const trouble = make("div", { class: "trouble" });
  const warnings = make("div", { class: "warnings", role: "status" });
  const about = make("div", { class: "about" });
  const copy = copyButton(() => made.text, "Copy the translation");
  const foot = make("div", { class: "pane-foot" }, about, copy);
  const newest = latest();
  let wanted = "";

  /** Without a server the translation before stays, and says whose it is. */
  function lag() {
    made.element.classList.remove("working");
    if (!made.answer || wanted === made.question) return;
    made.element.classList.add("earlier");
    about.replaceChildren(make("span", { class: "faint small", text: "Translation of the earlier text" }));
    arrived(made);
  }

  const made = {
    element: make(
      "section",
      { class: "pane output", "aria-label": name },
      head,
      trouble,
      output.element,
      warnings,
      foot,
    ),
    output,
    run: null,
    to: "",
    /** The latest answer, with the alternatives that were taken, and the text that it translates. */
    answer: null,
    question: "",
    get text() {
      return made.answer ? textOf(made.answer) : "";
    },

    /** Choose among runs; the first stands where none was chosen. */
    choose(runs, run, direction, { speak, language = null, beside = null, change }) {
      made.run = run;
      made.to = direction.target;
      speak(output);
      const named = picker(
        `Run of ${name.toLowerCase()}`,
        runs.map((one) => [one.name, labelOf(one, runs)]),
        run.name,
        change,
        "plain run",
      );
      head.replaceChildren(language ?? "", named, beside ?? "");
      named.title = `${run.title || run.name}${run.parameters ? `, ${short(run.parameters)} parameters` : ""}`;
      if (closed) {
        head.append(iconButton("Close this column", "close", closed));
      }
    },

    /** Translate a text; an answer to an earlier one is dropped. */
    async translate(text) {
      wanted = text;
      made.unwarn();
      if (!text.trim()) {
        newest.cancel();
        made.clear();
        return;
      }
      made.element.classList.add("working");
      try {
        const body = { run: made.run.name, text, alternatives: 0, ...(made.to && { to: made.to }) };
        const answer = await newest((signal) => post("/studio/api/translate", body, { signal }));
        made.question = text;
        made.show(answer);
      } catch (failure) {
        if (failure.kind === "stale") return;
        if (failure.kind === "gone") {
          lag();
          return;
        }
        made.clear();
        trouble.replaceChildren(problem(failure, () => made.translate(text)));
        if (failure.kind === "busy" && failure.after)
          setTimeout(() => {
            if (wanted === text && trouble.childNodes.length) made.translate(text);
          }, failure.after * 1000);
      }
    },
    show(answer) {
      made.answer = answer;
      made.element.classList.remove("working", "earlier");
      trouble.replaceChildren();
      output.show(answer, made.to);
      about.replaceChildren(
        summaryChip(answer.sentences) ?? "",
        make("span", { class: "faint small", text: `${Math.max(1, Math.round(answer.milliseconds))} ms` }),
      );
      warnings.replaceChildren(...notices(answer.warnings));
      foot.hidden = false;
      arrived(made);
    },
    clear() {
      made.answer = null;
      made.question = "";
      made.element.classList.remove("working", "earlier");
      trouble.replaceChildren();
      output.clear();
      foot.hidden = true;
      arrived(made);
    },
    /** Let another translation of a sentence stand. */
    take(number, text) {
      const sentences = made.answer.sentences.map((one, at) =>
        at === number ? { ...one, text, confidence: null } : one,
      );
      made.show({ ...made.answer, sentences });
    },
    /** Take the warnings away: the text that they speak of has changed. */
    unwarn: () => warnings.replaceChildren(),
    stop: () => newest.cancel(),
  };
  foot.hidden = true;
  return made;
}

function labelOf(run, runs) {
  const alike = runs.filter((one) => one.title === run.title).length > 1;
  return alike || !run.title ? run.name : run.title;
}

function textOf({ sentences, gaps = [] }) {
  return (gaps[0] ?? "") + sentences.map((one, at) => one.text + (gaps[at + 1] ?? "")).join("");
}
