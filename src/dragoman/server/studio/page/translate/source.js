// The text to translate: a field over a mirror of itself, in which words can be tinted.
import { make } from "../dom.js";
import { strength } from "./attention.js";

/**
 * Make the field.
 * @param {{changed: (text: string) => void, pointed: (place: number|null) => void}} given
 *   `pointed` hears the place in the text that is pointed at, by mouse or by caret
 */
export function sourceField({ changed, pointed }) {
  const mirror = make("div", { class: "mirror", "aria-hidden": "true" });
  const area = make("textarea", {
    class: "source-text",
    id: "source-text",
    spellcheck: "false",
    dir: "auto",
    "aria-label": "Text to translate",
    placeholder: "Type or paste text",
    autocapitalize: "sentences",
    rows: "3",
  });
  let spans = [];

  const plain = () => {
    spans = [];
    mirror.replaceChildren(`${area.value}\u200b`);
  };
  area.addEventListener("input", () => {
    plain();
    changed(area.value);
  });
  const under = (x, y) => {
    const span = document.elementsFromPoint(x, y).find((element) => element.parentNode === mirror);
    return span ? Number(span.dataset.begin) : null;
  };
  area.addEventListener("pointermove", ({ clientX, clientY, pointerType }) => {
    if (pointerType === "mouse") pointed(under(clientX, clientY));
  });
  area.addEventListener("pointerleave", () => pointed(null));
  area.addEventListener("click", () => pointed(area.selectionStart));
  area.addEventListener("keyup", ({ key }) => {
    if (/^(Arrow|Home|End|Page)/.test(key)) pointed(area.selectionStart);
    if (key === "Escape") pointed(null);
  });
  area.addEventListener("blur", () => pointed(null));
  plain();

  return {
    element: make("div", { class: "field-over-mirror" }, mirror, area),
    area,
    get text() {
      return area.value;
    },
    set text(words) {
      area.value = words;
      plain();
    },
    /** Say in which language and direction it is written. */
    speak(language, rtl) {
      for (const each of [area, mirror]) {
        each.lang = language;
        each.dir = rtl ? "rtl" : "auto";
      }
    },
    /** Part the mirror into words, which can then be tinted. */
    part(words) {
      const nodes = [];
      let at = 0;
      spans = words.map((word) => {
        const span = make("span", {
          class: "source-word",
          dataset: { begin: word.begin },
          text: area.value.slice(word.begin, word.end),
        });
        nodes.push(area.value.slice(at, word.begin), span);
        at = word.end;
        return span;
      });
      mirror.replaceChildren(...nodes, `${area.value.slice(at)}\u200b`);
    },
    /** Tint words from a number on; an empty list takes the tint away. */
    tint(from, weights, chosen = -1) {
      spans.forEach((span, number) => {
        const weight = weights[number - from] ?? 0;
        span.style.setProperty("--w", strength(weight).toFixed(3));
        span.classList.toggle("chosen", number === chosen);
      });
    },
  };
}
