// Other translations of a sentence, which can be taken in its stead.
import { post } from "../api.js";
import { make } from "../dom.js";
import { marked } from "../differences.js";
import { percent } from "../numbers.js";

const COUNT = 4;

export async function alternatives({ column, number, sentence }) {
  const body = {
    run: column.run.name,
    text: sentence.source,
    alternatives: COUNT,
    ...(column.to && { to: column.to }),
  };
  const { sentences } = await post("/studio/api/translate", body);
  const [best] = sentences;
  const found =
    sentences.length === 1 && best
      ? [{ text: best.text }, ...best.alternatives].filter((one) => one.text !== sentence.text)
      : [];
  if (!found.length)
    return make("p", { class: "faint", text: "No other translation of this sentence was found." });
  const list = make(
    "ol",
    { class: "alternatives" },
    found.map((one) =>
      make(
        "li",
        {},
        make(
          "span",
          { class: "alternative", dir: "auto", lang: column.to || null },
          marked(one.text, sentence.text),
        ),
        Number.isFinite(one.score) &&
          make("span", {
            class: "faint small number",
            text: percent(Math.exp(one.score)),
            title: "Mean token probability",
          }),
        make("button", {
          type: "button",
          class: "text-button",
          text: "Use",
          "aria-label": `Use: ${one.text}`,
          on: { click: () => column.take(number, one.text) },
        }),
      ),
    ),
  );
  const scored = found.some((one) => Number.isFinite(one.score));
  return make(
    "div",
    {},
    list,
    make("p", {
      class: "faint small",
      text: `Differences are marked.${scored ? " The number is the mean token probability." : ""}`,
    }),
  );
}
