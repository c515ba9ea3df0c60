// Components of the views: notices, errors, pickers, chips.
import { make, announce, unique } from "./dom.js";
import { icon } from "./icons.js";

/** Nothing here yet, and the command that changes it. */
export function empty({ title, text, command, symbol = "empty" }) {
  return make(
    "div",
    { class: "notice" },
    icon(symbol),
    make("h2", { text: title }),
    make("p", { text }),
    command && commandLine(command),
  );
}

/** A command to copy. */
function commandLine(text) {
  return make(
    "div",
    { class: "command" },
    make("code", { text, tabindex: "0" }),
    copyButton(() => text, "Copy the command"),
  );
}

/** What went wrong, the id to find it by in the log, and a way to try again. */
export function problem(failure, retry = null) {
  const again = retry && failure.kind !== "refused";
  const told = make(
    "div",
    { class: failure.kind === "gone" ? "problem away" : "problem", role: "alert" },
    icon(failure.kind === "key" ? "key" : "warning"),
    make(
      "div",
      {},
      sentence(failure.message),
      failure.id && make("span", { class: "id" }, "Request ", make("code", { text: failure.id })),
    ),
    again &&
      make("button", { type: "button", class: "text-button", text: "Try again", on: { click: retry } }),
  );
  if (again && failure.kind === "gone")
    addEventListener("server-back", () => told.isConnected && retry(), { once: true });
  return told;
}
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** Lines that stand for what is on its way. */
export function loading() {
  return make(
    "div",
    { class: "loading", role: "status" },
    make("i"),
    make("i"),
    make("i"),
    make("span", { class: "unseen", text: "Loading" }),
  );
}

/** A button that copies what `find` returns. */
export function copyButton(find, name = "Copy") {
  const button = make(
    "button",
    { type: "button", class: "icon-button", "aria-label": name, title: name },
    icon("copy"),
  );
  button.addEventListener("click", async () => {
    const words = (await copied(find())) ? "Copied" : "The browser does not allow copying";
    announce(words);
    button.replaceChildren(icon(words === "Copied" ? "done" : "warning"));
    setTimeout(() => button.replaceChildren(icon("copy")), 1400);
  });
  return button;
}
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS the clipboard is closed to scripts; a chosen text can still be copied.
    const box = make("textarea", { class: "unseen", "aria-hidden": "true", tabindex: "-1" });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  }
}

/** A native picker in our looks. `options` are [value, words]; a single one is shown all the same. */
export function picker(name, options, chosen, change, looks = "") {
  const select = make(
    "select",
    { "aria-label": name },
    options.map(([value, words]) => {
      const option = make("option", { value, text: words, dir: "auto" });
      option.selected = String(value) === String(chosen);
      return option;
    }),
  );
  select.disabled = options.length < 2;
  select.addEventListener("change", () => change(select.value));
  return make("span", { class: `picker ${looks}` }, select, options.length > 1 && icon("down"));
}

/** Some choices of which one holds. `options` are [value, words]. */
export function choices(name, options, chosen, change) {
  const group = unique("choice"),
    title = unique("name");
  return make(
    "div",
    { class: "choice-group", role: "radiogroup", "aria-labelledby": title },
    make("span", { class: "label", id: title, text: name }),
    make(
      "div",
      { class: "choices" },
      options.map(([value, words]) => {
        const input = make("input", { type: "radio", name: group, value });
        input.checked = String(value) === String(chosen);
        input.addEventListener("change", () => change(value));
        return make("label", {}, input, make("span", { text: words }));
      }),
    ),
  );
}

/** Tabs with one panel; `show` fills it. Arrow keys move. Returns the element and a way to switch. */
export function tabs(name, options, chosen, show) {
  const panel = make("div", { role: "tabpanel", id: unique("panel"), tabindex: "-1" });
  const buttons = options.map(([value, words]) =>
    make("button", {
      type: "button",
      role: "tab",
      id: unique("tab"),
      "aria-controls": panel.id,
      dataset: { value },
      text: words,
    }),
  );
  const turn = (value) => {
    for (const button of buttons) {
      const on = button.dataset.value === value;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      if (on) panel.setAttribute("aria-labelledby", button.id);
    }
    show(value, panel);
  };
  const list = make("div", { class: "tabs", role: "tablist", "aria-label": name }, buttons);
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("[role=tab]");
    if (button) turn(button.dataset.value);
  });
  list.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(event.target),
      last = buttons.length - 1;
    const to = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    buttons[to].focus();
    turn(buttons[to].dataset.value);
  });
  turn(chosen);
  return { element: make("div", {}, list, panel), turn };
}

/** A short word in a colour: "good", "warn", "bad", "accent" or none. */
export const chip = (words, looks = "", before = null) =>
  make("span", { class: `chip ${looks}` }, before, words);

/** The head of a page: its title, a line under it, and what stands beside it. */
export function pageHead(title, line = "", beside = null, crumb = null) {
  return make(
    "div",
    {},
    crumb && make("p", { class: "crumb" }, make("a", { href: crumb[0], text: `← ${crumb[1]}` })),
    make(
      "div",
      { class: "page-head" },
      make(
        "div",
        {},
        make("h1", { tabindex: "-1", dir: "auto", text: title }),
        line && make("p", { text: line }),
      ),
      beside,
    ),
  );
}
