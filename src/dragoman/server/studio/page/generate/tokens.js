// Tokens on the page, tinted by their surprisal; each shows its alternatives.
import { make } from "../dom.js";
import { percent } from "../numbers.js";
import { roving, settle } from "../roving.js";

/** How strongly a token is tinted: not at all if certain, fully at a probability of 1/200. */
const surprise = (logprob) => (logprob === null ? 0 : Math.min(1, -logprob / 5.3));

const BEFORE = "Probabilities of the network, before temperature and top-p.";

const probabilityOf = ({ logprob }) => (logprob === null ? "" : percent(Math.exp(logprob)));

/**
 * Make the text of tokens.
 * @param {{chose: (token: object, number: number) => void}} given
 */
export function tokenText({ chose }) {
  const element = make("div", {
    class: "tokens",
    role: "group",
    "aria-label": "Generated text, token by token",
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
        style: { "--w": surprise(token.logprob).toFixed(3) },
        text: token.text,
        "aria-label": [token.text.trim() || "space", probabilityOf(token)].filter(Boolean).join(", "),
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

/** The alternatives of a token; generation can continue from each. */
export function alternatives(token, continueWith) {
  const spelled = token.spelled ?? token.text;
  const rows = token.alternatives.length ? token.alternatives : [[spelled, token.logprob]];
  if (!rows.some(([text]) => text === spelled) && token.logprob !== null) rows.push([spelled, token.logprob]);
  return make(
    "div",
    { class: "token-alternatives" },
    make("h2", {}, "Alternatives to ", make("bdi", { class: "quoted", dir: "auto", text: visible(spelled) })),
    make(
      "ul",
      { class: "bars" },
      rows.map(([text, logprob]) =>
        make(
          "li",
          { style: { "--share": Math.exp(logprob).toFixed(4) }, class: text === spelled ? "own" : null },
          make("bdi", { dir: "auto", text: visible(text) }),
          make(
            "span",
            { class: "row tight" },
            make("span", { class: "number small", text: percent(Math.exp(logprob)) }),
            text !== spelled &&
              continueWith &&
              make("button", {
                type: "button",
                class: "text-button",
                text: "Continue",
                "aria-label": `Continue with ${text.trim() || "a space"}`,
                on: { click: () => continueWith(text) },
              }),
          ),
        ),
      ),
    ),
    make("p", { class: "faint small", text: BEFORE }),
  );
}
const visible = (text) =>
  text
    .replaceAll("\n", "↵")
    .replaceAll("▁", " ")
    .replace(/^ +/, (blanks) => "·".repeat(blanks.length)) || "·";
