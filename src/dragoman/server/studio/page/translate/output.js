// A translation on the page: sentences of words that can be pointed at.
import { make } from "../dom.js";
import { roving, settle } from "../roving.js";
import { strength } from "./attention.js";
import { levelOf, sure } from "./confidence.js";
import { wordsOf } from "./text.js";

/**
 * Make the place of a translation.
 * @param {{pointed: (sentence: number, word: number|null) => void, name: string}} given
 */
export function outputText({ pointed, name }) {
  const element = make("div", {
    class: "output-text",
    role: "group",
    "aria-label": name,
    dir: "auto",
    dataset: { waiting: name },
  });
  let sentences = [];
  const words = () => sentences.flatMap((one) => one.spans);
  const place = (target) => {
    const span = target.closest?.(".word");
    return span ? [Number(span.dataset.sentence), Number(span.dataset.word)] : null;
  };
  roving(element, words);
  for (const event of ["pointerover", "focusin", "click"]) {
    element.addEventListener(event, ({ target }) => {
      const found = place(target);
      if (found) pointed(...found);
    });
  }
  element.addEventListener("pointerleave", () => {
    const found = place(document.activeElement);
    if (found && element.contains(document.activeElement)) pointed(...found);
    else pointed(null, null);
  });
  element.addEventListener("focusout", ({ relatedTarget }) => {
    if (!element.contains(relatedTarget)) pointed(null, null);
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    pointed(null, null);
  });

  return {
    element,
    get words() {
      return sentences.map((one) => one.words);
    },
    /** Say in which language and direction it is written. */
    speak(language, rtl) {
      element.lang = language;
      element.dir = rtl ? "rtl" : "auto";
    },
    /** Show an answer of the server. */
    show(answer, language) {
      const gaps = answer.gaps ?? [];
      const nodes = [gaps[0] ?? ""];
      sentences = answer.sentences.map((sentence, number) => {
        const cut = wordsOf(sentence.text, language);
        const spans = cut.map((word, at) =>
          make("span", {
            class: "word",
            role: "button",
            tabindex: "-1",
            dataset: { sentence: number, word: at },
            text: word.text,
          }),
        );
        nodes.push(whole(sentence, number, cut, spans), gaps[number + 1] ?? " ");
        return { spans, words: cut };
      });
      element.replaceChildren(...nodes);
      settle(words());
    },
    clear() {
      sentences = [];
      element.replaceChildren();
    },
    /** Tint the words of a sentence; null takes the tint away. */
    tint(sentence, weights, chosen = -1) {
      sentences.forEach(({ spans }, number) =>
        spans.forEach((span, at) => {
          const weight = number === sentence ? (weights[at] ?? 0) : 0;
          span.style.setProperty("--w", strength(weight).toFixed(3));
          span.classList.toggle("chosen", number === sentence && at === chosen);
        }),
      );
    },
    /** Mark the words that another translation does not have in their place. */
    differ(same) {
      words().forEach((span, number) => span.classList.toggle("differs", same !== null && !same[number]));
    },
    /** Mark the sentence that is inspected. */
    settle(number) {
      [...element.querySelectorAll(".sentence")].forEach((one, at) =>
        one.classList.toggle("current", at === number && sentences.length > 1),
      );
    },
  };
}

function whole(sentence, number, cut, spans) {
  const level = levelOf(sentence.confidence);
  const nodes = [];
  let at = 0;
  cut.forEach((word, place) => {
    nodes.push(sentence.text.slice(at, word.begin), spans[place]);
    at = word.end;
  });
  nodes.push(sentence.text.slice(at));
  return make(
    "span",
    {
      class: `sentence ${level?.name ?? ""}`,
      dataset: { number },
      title: level ? `${sure(sentence.confidence)}: ${level.words}` : null,
    },
    nodes,
  );
}
