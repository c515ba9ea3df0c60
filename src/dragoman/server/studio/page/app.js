// The frame: navigation, routes, theme, and whether the server is there.
import { make, announce } from "./dom.js";
import { icon } from "./icons.js";
import { get, watchServer } from "./api.js";
import { loading, problem } from "./components.js";
import { themeButton } from "./themes.js";
import { VIEWS, show } from "./views.js";

const view = document.getElementById("view");
let overview = null;
let leave = null;

/** Let the view of the address fill the page. */
function go({ first = false } = {}) {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const chosen = VIEWS.find((one) => one.name === name) ?? home();
  leave?.();
  leave = null;
  mark(chosen.name);
  document.title = `${chosen.label} – Dragoman`;
  const holder = make("div");
  view.replaceChildren(holder);
  const context = {
    overview,
    under: decoded(rest.join("/")),
    title: (words) => {
      document.title = `${words} – Dragoman`;
    },
  };
  leave = show(chosen, holder, context) ?? null;
  if (first) return;
  view.querySelector("h1")?.focus({ preventScroll: true });
  scrollTo(0, 0);
}
function decoded(words) {
  try {
    return decodeURIComponent(words);
  } catch {
    return words; // a stray percent sign, typed by hand
  }
}
const home = () => VIEWS.find((one) => one.has(overview)) ?? VIEWS[0];

function mark(name) {
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function navigation() {
  document.getElementById("nav").replaceChildren(...VIEWS.map(link));
  document.getElementById("version").textContent = overview.version ?? "";
}
const link = ({ name, label, has }) =>
  make(
    "a",
    { href: `#${name}`, class: has(overview) ? null : "vacant", dataset: { view: name } },
    icon(name),
    make("span", { text: label }),
  );

async function start() {
  view.replaceChildren(loading());
  try {
    overview = await get("/studio/api/overview");
  } catch (failure) {
    view.replaceChildren(problem(failure, start));
    return;
  }
  navigation();
  go({ first: true });
}

/** A bar across the page while the server is away; it goes by itself. */
function away() {
  const bar = document.getElementById("gone");
  let timer = 0;
  const knock = async () => {
    clearTimeout(timer);
    await get("/health").catch(() => null);
    if (!bar.hidden) timer = setTimeout(knock, 3000);
  };
  watchServer((there) => {
    bar.hidden = there;
    if (there) {
      clearTimeout(timer);
      announce("The server is back.");
      dispatchEvent(new Event("server-back"));
      return;
    }
    bar.replaceChildren(
      make(
        "span",
        {},
        "The server does not answer. Start it again with ",
        make("code", { text: "dragoman serve" }),
        "; what you typed and the last translation are kept.",
      ),
      make("button", { type: "button", class: "text-button", text: "Try again", on: { click: knock } }),
    );
    timer = setTimeout(knock, 3000);
  });
}

themeButton(document.getElementById("theme"));
away();
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // its address is not a view
  document.getElementById("main").focus();
});
addEventListener("hashchange", () => {
  if (overview) go();
});
start();
