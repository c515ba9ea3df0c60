// The frame: navigation, routes, theme, and whether the server is there.
import { make, announce } from "./dom.js";
import { icon } from "./icons.js";
import { get, watchServer } from "./api.js";
import { loading, problem } from "./parts.js";
import { themeButton } from "./themes.js";
import { PLACES, offered } from "./places.js";

const view = document.getElementById("view");
let shelf = null;
let leave = null;
let turn = 0;

/** Load the module of a place and let it fill the page. */
async function go({ first = false } = {}) {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const place = PLACES.find((one) => one.name === name) ?? home();
  const mine = ++turn;
  leave?.();
  leave = null;
  mark(place.name);
  document.title = `${place.title} – Dragoman`;
  try {
    const module = await place.load();
    if (mine !== turn) return;
    const holder = make("div");
    view.replaceChildren(holder);
    const under = rest.length ? decodeURIComponent(rest.join("/")) : "";
    leave =
      module.show(holder, {
        shelf,
        under,
        title: (words) => {
          document.title = `${words} – Dragoman`;
        },
      }) ?? null;
    if (!first) view.querySelector("h1")?.focus({ preventScroll: true });
    if (!first) scrollTo(0, 0);
  } catch (failure) {
    view.replaceChildren(problem(failure, () => go()));
  }
}
const home = () => offered(shelf)[0] ?? PLACES[0];

function mark(name) {
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.place === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function navigation() {
  const there = offered(shelf);
  const links = there.map((place) => link(place));
  if (there.length < PLACES.length - 1) links.push(link(PLACES.at(-1), "aside"));
  document.getElementById("nav").replaceChildren(...links);
  document.getElementById("version").textContent = shelf.version ?? "";
}
const link = (place, looks = "") =>
  make(
    "a",
    { href: `#${place.name}`, class: looks || null, dataset: { place: place.name } },
    icon(place.name),
    make("span", { text: place.label }),
  );

async function start() {
  view.replaceChildren(loading());
  try {
    shelf = await get("/studio/api/shelf");
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
        "The server does not answer. Is ",
        make("code", { text: "dragoman serve" }),
        " still running?",
      ),
      make("button", { type: "button", class: "text-button", text: "Try again", on: { click: knock } }),
    );
    timer = setTimeout(knock, 3000);
  });
}

themeButton(document.getElementById("theme"));
away();
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // its address is not a place
  document.getElementById("main").focus();
});
addEventListener("server-back", () => {
  if (!shelf) start();
});
addEventListener("hashchange", () => {
  if (shelf) go();
});
start();
