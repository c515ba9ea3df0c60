// Translations of some validation sentences, beside their references.
import { make, bidi } from "../dom.js";
import { marked } from "../differences.js";

export function samples(part, all) {
  part.replaceChildren();
  if (!all.length) return;
  const equal = all.filter((one) => one.output === one.reference).length;
  part.append(
    make(
      "div",
      { class: "block-head" },
      make("h2", { text: "Samples" }),
      make(
        "p",
        { class: "faint small" },
        `${equal} of ${all.length} match the reference`,
        equal < all.length && [
          ". Marked: ",
          make("mark", { class: "missing", text: "missing from the output" }),
          ", ",
          make("mark", { class: "extra", text: "not in the reference" }),
        ],
      ),
    ),
    make("ul", { class: "samples sheet" }, all.map(one)),
  );
}

function one({ source, reference, output }) {
  const same = output === reference;
  return make(
    "li",
    {},
    make(
      "dl",
      {},
      entry("Source", bidi(source ?? "", { tag: "span" })),
      reference !== undefined &&
        reference !== null &&
        entry(
          "Reference",
          make("span", { dir: "auto" }, same ? reference : marked(reference, output ?? "", "missing")),
        ),
      entry(
        "Output",
        make(
          "span",
          { dir: "auto", class: "output" },
          same || !reference ? (output ?? "") : marked(output ?? "", reference, "extra"),
        ),
      ),
    ),
  );
}

const entry = (name, value) => make("div", {}, make("dt", { text: name }), make("dd", {}, value));
