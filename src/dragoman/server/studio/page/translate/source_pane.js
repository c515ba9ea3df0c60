// The side of the source: its head, its text, how long it is, and sentences to try.
import { make } from "../dom.js";
import { whole } from "../numbers.js";
import { exampleList } from "./examples.js";
import { iconButton } from "./pickers.js";
import { sourceField } from "./source.js";

/**
 * Make the pane.
 * @param {{most: number, typed: (text: string) => void, pointed: (place: number|null) => void}} given
 */
export function sourcePane({ most, typed, pointed }) {
  const head = make("div", { class: "pane-head" });
  const count = make("span", { class: "faint small" });
  const clear = iconButton("Clear the text", "close", () => pane.write(""));
  const examples = exampleList((text) => pane.write(text));
  const changed = (text) => {
    counted();
    typed(text);
  };
  const field = sourceField({ changed, pointed });

  function counted() {
    const length = [...field.text].length;
    const near = most && length > most * 0.8 ? ` of ${whole(most)}` : "";
    count.textContent = length ? `${whole(length)}${near} characters` : "";
    count.classList.toggle("over", most > 0 && length > most);
    clear.hidden = !length;
    examples.element.hidden = length > 0;
  }

  const pane = {
    head,
    field,
    examples,
    element: make(
      "section",
      { class: "pane source", "aria-label": "Source" },
      head,
      field.element,
      examples.element,
      make("div", { class: "pane-foot" }, count, clear),
    ),
    /** Put a text in, as if it had been typed. */
    write(text, { focus = true } = {}) {
      field.text = text;
      changed(text);
      if (focus) field.area.focus({ preventScroll: true });
    },
  };
  counted();
  return pane;
}
