// Tokens on the page, tinted by how surprising they were; one can be looked into.
import { make } from "../dom.js";
import { percent } from "../numbers.js";
import { roving, settle } from "../roving.js";

/** How strongly a token is tinted: certain is nothing, a chance of one in two hundred is all. */
const surprise = (likely) => (likely === null ? 0 : Math.min(1, -likely / 5.3));

const chanceOf = ({ likely }) => (likely === null ? "" : percent(Math.exp(likely)));

/**
 * Make the text of tokens.
 * @param {{chose: (token: object, number: number) => void}} given
 */
export function tokenText({ chose }) {
  const element = make("div", {
    class: "tokens",
    role: "group",
    "aria-label": "What was written, token by token",
    dir: "auto",
  });
  let spans = [],
    tokens = [];
  roving(element, () => spans);
  const pick = ({ target }) => {
    const span = target.closest(".token");
    if (!span) return;
    spans.forEach((one) => one.classList.toggle("chosen", one === span));
    chose(tokens[Number(span.dataset.number)], Number(span.dataset.number));
  };
  element.addEventListener("click", pick);
  element.addEventListener("focusin", pick);
  return {
    element,
    get tokens() {
      return tokens;
    },
    begin(prompt) {
      spans = [];
      tokens = [];
      element.replaceChildren(make("span", { class: "prompt", text: prompt }));
    },
    add(token) {
      const span = make("span", {
        class: /^\s+$/.test(token.text) ? "token space" : "token",
        role: "button",
        tabindex: "-1",
        dataset: { number: tokens.length },
        style: { "--w": surprise(token.likely).toFixed(3) },
        text: token.text,
        "aria-label": [token.text.trim() || "space", chanceOf(token)].filter(Boolean).join(", "),
      });
      tokens.push(token);
      spans.push(span);
      if (spans.length === 1) settle(spans);
      element.append(span);
    },
    /** The text from the prompt up to a token, without it. */
    before: (number) =>
      tokens
        .slice(0, number)
        .map((token) => token.text)
        .join(""),
  };
}

/** The alternatives of a token; each can be gone on from. */
export function others(token, goOn) {
  const spelled = token.spelled ?? token.text;
  const rows = token.others.length ? token.others : [[spelled, token.likely]];
  if (!rows.some(([text]) => text === spelled) && token.likely !== null) rows.push([spelled, token.likely]);
  return make(
    "div",
    { class: "others" },
    make("h2", {}, "Instead of ", make("bdi", { class: "quoted", dir: "auto", text: visible(spelled) })),
    make(
      "ul",
      { class: "bars" },
      rows.map(([text, likely]) =>
        make(
          "li",
          { style: { "--share": Math.exp(likely).toFixed(4) }, class: text === spelled ? "own" : null },
          make("bdi", { dir: "auto", text: visible(text) }),
          make(
            "span",
            { class: "row tight" },
            make("span", { class: "number small", text: percent(Math.exp(likely)) }),
            text !== spelled &&
              goOn &&
              make("button", {
                type: "button",
                class: "text-button",
                text: "Go on",
                "aria-label": `Go on with ${text.trim() || "a space"}`,
                on: { click: () => goOn(text) },
              }),
          ),
        ),
      ),
    ),
  );
}
const visible = (text) =>
  text
    .replaceAll("\n", "↵")
    .replaceAll("▁", " ")
    .replace(/^ +/, (blanks) => "·".repeat(blanks.length)) || "·";
