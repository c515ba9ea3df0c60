// Sentences to try: those of the run's own validation, for with those it has a chance.
import { get } from "../api.js";
import { make } from "../dom.js";

const COUNT = 3;
const LONGEST = 90;
const known = new Map();

/** Return some sentences of a run's samples; none where it has none. */
function sentencesOf(run) {
  if (!known.has(run)) {
    const told = get(`/studio/api/runs/${encodeURIComponent(run)}`).catch(() => null);
    known.set(
      run,
      told.then((answer) => {
        const texts = (answer?.samples ?? []).map((one) => one.source);
        return [...new Set(texts.filter((text) => text && text.length < LONGEST))].slice(0, COUNT);
      }),
    );
  }
  return known.get(run);
}

/**
 * Make the place of the examples.
 * @param {(text: string) => void} took
 */
export function exampleList(took) {
  const element = make("div", { class: "examples" });
  let shown = null;
  return {
    element,
    /** Show those of a run, in its language. */
    async show(run, language) {
      shown = run;
      const texts = await sentencesOf(run);
      if (shown !== run) return;
      const given = { type: "button", class: "example", dir: "auto", lang: language || null };
      const buttons = texts.map((text) =>
        make("button", { ...given, text, on: { click: () => took(text) } }),
      );
      element.replaceChildren(
        ...(buttons.length ? [make("span", { class: "label", text: "Try" })] : []),
        ...buttons,
      );
    },
  };
}
