// A look inside one sentence: its alternatives, its attention, its beam.
import { make, bidi } from "../dom.js";
import { problem, loading } from "../components.js";
import { confidenceChip } from "./confidence.js";
import { alternatives } from "./alternatives.js";
import { heatMap } from "./heatmap.js";
import { beamPanel } from "./beam.js";
import { iconButton } from "./pickers.js";

const PANELS = [["alternatives", "Alternatives"], ["attention", "Attention"], ["beam", "Beam"]];
const HOW = {
  insisted: "Translated again, because a placeholder was lost the first time.",
  "in parts": "Translated in parts, because something was lost in the whole.",
  "as it is": "Nothing to translate; left unchanged.",
  recalled: "From the translation memory.",
};

/**
 * Make the inspector. `choice` says which layer and head are shown; `chose` hears when it changes.
 * @param {{source: object, columns: () => object[], chose: () => void}} given
 */
export function inspector({ columns, chose }) {
  const choice = { layer: null, head: 0 };
  let column = null,
    number = 0,
    open = null,
    turn = 0;

  const title = make("h2", { class: "inspector-title" });
  const about = make("div", { class: "row" });
  const readout = make("p", { class: "readout", "aria-live": "polite" });
  const body = make("div", { class: "inspector-body", id: "inspector-body" });
  const buttons = PANELS.map(([name, words]) =>
    make("button", {
      type: "button",
      class: "text-button",
      "aria-expanded": "false",
      "aria-controls": body.id,
      dataset: { name },
      text: words,
      on: {
        click: () => {
          open = open === name ? null : name;
          fill();
        },
      },
    }),
  );
  const step = (by, name, symbol) => iconButton(name, symbol, () => settle(column, number + by, true));
  const earlier = step(-1, "Previous sentence", "left"),
    later = step(1, "Next sentence", "right");
  const steps = make("div", { class: "steps" }, earlier, later);
  const element = make(
    "section",
    { class: "inspector", "aria-label": "Inspect sentence", hidden: true },
    make(
      "div",
      { class: "inspector-bar" },
      make("div", { class: "row" }, steps, title, about),
      make("div", { class: "row tight" }, buttons),
    ),
    readout,
    body,
  );
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open) return;
    const button = buttons.find((one) => one.dataset.name === open);
    open = null;
    fill();
    button.focus();
  });

  const sentence = () => column?.answer?.sentences[number];

  function settle(which, place, force = false) {
    if (!which.answer || place < 0 || place >= which.answer.sentences.length) return;
    const same = which === column && place === number;
    column = which;
    number = place;
    for (const one of columns()) one.output.settle(number);
    head();
    if (!same || force) fill();
  }
  function head() {
    const count = column.answer.sentences.length,
      one = sentence();
    steps.hidden = count < 2;
    earlier.disabled = number === 0;
    later.disabled = number === count - 1;
    title.textContent = count < 2 ? "Inspect sentence" : `Sentence ${number + 1} of ${count}`;
    about.replaceChildren(
      count > 1 ? (confidenceChip(one.confidence) ?? "") : "",
      one.how in HOW ? make("span", { class: "faint small", text: HOW[one.how] }) : "",
    );
    if (columns().length > 1) about.append(bidi(column.run.title || column.run.name, { class: "chip" }));
    buttons[1].hidden = !column.run.attention;
    readout.hidden = !column.run.attention;
    if (open === "attention" && !column.run.attention) open = null;
  }

  async function fill() {
    const mine = ++turn;
    for (const button of buttons) button.setAttribute("aria-expanded", String(button.dataset.name === open));
    if (!open || !sentence()) {
      body.replaceChildren();
      return;
    }
    if (!body.childNodes.length) body.replaceChildren(loading());
    body.classList.add("working");
    const given = { column, number, sentence: sentence(), choice, chose, again: fill };
    try {
      const panel = await { alternatives, attention: heatMap, beam: beamPanel }[open](given);
      if (mine === turn) body.replaceChildren(panel);
    } catch (failure) {
      if (mine === turn) body.replaceChildren(problem(failure, fill));
    }
    if (mine === turn) body.classList.remove("working");
  }

  return {
    element,
    choice,
    settle,
    arrived(which) {
      const there = columns().some((one) => one.answer?.sentences.length);
      element.hidden = !there;
      if (!there) {
        column = null;
        return;
      }
      const mine = columns().includes(column) && column.answer ? column : which;
      if (!mine.answer?.sentences.length || (mine !== which && column)) return;
      settle(mine, Math.min(number, mine.answer.sentences.length - 1), true);
    },
    /** Say which word goes with which. */
    tell(found) {
      if (!found) {
        readout.replaceChildren();
        return;
      }
      readout.replaceChildren(
        bidi(found.word, { tag: "bdi" }),
        found.side === "target" ? " attends most to " : " is attended to most by ",
        bidi(found.best, { tag: "bdi" }),
        make("span", { class: "number", text: found.weight.toFixed(2) }),
      );
    },
  };
}
