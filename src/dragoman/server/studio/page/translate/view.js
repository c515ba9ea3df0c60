// Translate: a text on one side, its translation on the other, and a look inside.
import { announce, debounce, make } from "../dom.js";
import { save, load } from "../storage.js";
import { common } from "../differences.js";
import { column } from "./column.js";
import { directions, isRtl, runsOf } from "./directions.js";
import { inspector } from "./inspector.js";
import { highlighter } from "./highlight.js";
import { compareButton, languagePicker, swapButton } from "./pickers.js";
import { sourcePane } from "./source_pane.js";

const PAUSE = 250;
/** What stays while the page is open: the text is never kept beyond it. */
const memory = { text: "", direction: null, run: null, second: null };

export function show(holder, { overview }) {
  holder.append(make("h1", { class: "unseen", tabindex: "-1", text: "Translate" }));
  const view = translation(overview);
  holder.append(view.element);
  view.begin();
  return view.leave;
}

function translation(overview) {
  const panes = make("div", { class: "panes sheet" });
  const hints = hintList(overview);
  let direction = wantedDirection(overview);
  let second = null;
  const columns = () => (second ? [first, second] : [first]);

  const pane = sourcePane({
    most: overview.limits?.characters ?? 0,
    typed,
    pointed: (place) => highlight.source(place),
  });
  const point = (which, sentence, word) => highlight.target(which, sentence, word);
  const first = column({ name: "Translation", pointed: point, arrived });
  const inside = inspector({ columns, chose: () => highlight.again() });
  const highlight = highlighter({ source: pane.field, inside, columns, language: () => direction.source });
  const soon = debounce(translate, PAUSE);

  function typed(text) {
    memory.text = text;
    hints.hidden = text.length > 0;
    highlight.forget();
    for (const one of columns()) one.unwarn();
    soon();
    if (text.trim()) return;
    soon.cancel();
    translate();
  }
  function translate() {
    for (const one of columns()) one.translate(pane.field.text);
  }
  function arrived(which) {
    highlight.arrived();
    if (which === first && first.text) announce(first.text);
    panes.classList.toggle("compared", markDifferences(first, second));
    inside.arrived(which);
  }

  /** Put the pickers in order for the direction, and have each column know its run. */
  function settle() {
    memory.direction = direction;
    save("direction", direction);
    const runs = runsOf(overview, direction);
    const run = runs.find((one) => one.name === (memory.run ?? load("run"))) ?? runs[0];
    pane.field.speak(direction.source, isRtl(overview, direction.source));
    pane.head.replaceChildren(
      languagePicker(overview, direction, "source", turn),
      swapButton(overview, direction, swap),
    );
    first.choose(runs, run, direction, {
      speak,
      language: languagePicker(overview, direction, "target", turn),
      beside: runs.length > 1 && !second ? compareButton(openSecond) : null,
      change: (name) => {
        memory.run = name;
        save("run", name);
        turn(direction);
      },
    });
    if (second) settleSecond(runs);
    pane.examples.show(run.name, direction.source);
  }
  const speak = (output) => output.speak(direction.target, isRtl(overview, direction.target));

  function turn(to) {
    direction = to;
    settle();
    translate();
  }
  function swap(back) {
    const text = first.text || pane.field.text;
    direction = back;
    settle();
    pane.write(text, { focus: false });
    pane.head.querySelector(".swap").focus();
  }

  function openSecond() {
    second = column({ name: "Second translation", pointed: point, arrived, closed: closeSecond });
    panes.append(second.element);
    panes.classList.add("two");
    settle();
    second.translate(pane.field.text);
    second.element.querySelector("select").focus();
  }
  function settleSecond(runs) {
    const other = runs.find((one) => one.name !== first.run.name);
    const run = runs.find((one) => one.name === memory.second) ?? other;
    if (!run) {
      closeSecond();
      return;
    }
    const change = (name) => {
      memory.second = name;
      settleSecond(runs);
      second.translate(pane.field.text);
    };
    second.choose(runs, run, direction, { speak, change });
  }
  function closeSecond() {
    second.stop();
    second.element.remove();
    second = null;
    memory.second = null;
    panes.classList.remove("two");
    settle();
    arrived(first);
    first.element.querySelector(".pane-head .icon-button")?.focus();
  }

  panes.append(pane.element, first.element);
  settle();
  addEventListener("server-back", translate);
  return {
    element: make("div", { class: "translate" }, panes, inside.element, hints),
    begin() {
      // On a phone the keyboard would cover half of the page.
      const wide = matchMedia("(min-width: 52rem)").matches;
      if (memory.text) pane.write(memory.text, { focus: wide });
      else if (wide) pane.field.area.focus({ preventScroll: true });
    },
    leave() {
      removeEventListener("server-back", translate);
      soon.cancel();
      for (const one of columns()) one.stop();
    },
  };
}

function wantedDirection(overview) {
  const ways = directions(overview);
  const wanted = memory.direction ?? load("direction");
  return ways.find((one) => one.source === wanted?.source && one.target === wanted?.target) ?? ways[0];
}

/** Mark where two translations of one text differ; say whether there are two. */
function markDifferences(first, second) {
  const both = second?.answer && first.answer && second.question === first.question;
  if (!both) {
    first.output.differ(null);
    second?.output.differ(null);
    return false;
  }
  const words = [first, second].map((one) => one.output.words.flat().map((word) => word.text));
  const same = common(...words);
  first.output.differ(same[0]);
  second.output.differ(same[1]);
  return true;
}

function hintList(overview) {
  const lines = [
    "Point at a word to see its attention.",
    "Open Beam to see the search tree.",
    overview.translators.length > 1 && "Compare two runs side by side.",
  ];
  const items = lines.filter(Boolean).map((text) => make("li", { text }));
  return make("ul", { class: "hints faint small", "aria-label": "What can be done here" }, items);
}
