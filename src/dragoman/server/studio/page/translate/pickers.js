// What stands in the heads of the panes: languages, the way back, a second column.
import { make } from "../dom.js";
import { icon } from "../icons.js";
import { picker } from "../components.js";
import { directions, nameOf, reversed } from "./directions.js";

const SIDES = {
  source: { title: "From", other: "target", nameless: "Source" },
  target: { title: "To", other: "source", nameless: "Translation" },
};

/** Choose the language of one side; the other side stays as it is where a run serves both. */
export function languagePicker(overview, direction, side, chose) {
  const { title, other, nameless } = SIDES[side];
  const ways = directions(overview);
  const codes = [...new Set(ways.map((one) => one[side]))];
  const change = (code) => {
    const fits = ways.filter((one) => one[side] === code);
    chose(fits.find((one) => one[other] === direction[other]) ?? fits[0]);
  };
  const options = codes.map((code) => [code, nameOf(overview, code, nameless)]);
  return picker(title, options, direction[side], change, "plain language");
}

/** Swap the languages, where a run goes the other way. */
export function swapButton(overview, direction, chose) {
  const back = reversed(overview, direction);
  const name = back ? "Swap languages" : "No run translates in this direction";
  const button = iconButton(name, "swap", () => chose(back), "swap");
  button.disabled = !back;
  return button;
}

/** Open a second column. */
export const compareButton = (act) => iconButton("Compare with another run", "columns", act);

/** A button that shows an icon and says a name. */
export function iconButton(name, symbol, act, looks = "") {
  const given = { type: "button", class: `icon-button ${looks}`, "aria-label": name, title: name };
  return make("button", { ...given, on: { click: act } }, icon(symbol));
}
