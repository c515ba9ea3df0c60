// What a translator was not trained for, said under its translation: a notice for each kind.
import { make } from "../dom.js";
import { icon } from "../icons.js";

const KINDS = {
  language: "Another language",
  script: "Another script",
  domain: "Unlike the training text",
};
const MOST = 3; // sentences that a notice speaks of; the others are counted

/** @param {{kind: string, text: string}[]} [warnings] of a server that gives none, nothing */
export function notices(warnings) {
  const kinds = new Map();
  for (const { kind, text } of warnings ?? []) kinds.set(kind, (kinds.get(kind) ?? new Set()).add(text));
  return [...kinds].map(([kind, texts]) => notice(KINDS[kind] ?? "Warning", [...texts]));
}

function notice(label, texts) {
  const more = texts.length > MOST ? `; and ${texts.length - MOST} more` : "";
  return make(
    "p",
    {},
    icon("warning"),
    make(
      "span",
      {},
      make("strong", { text: `${label}: ` }),
      make("span", { dir: "auto", text: texts.slice(0, MOST).join("; ") + more }),
    ),
  );
}
