// The course of the lab: topics, errata and claims, in HTML that the server has made and escaped.
import { get } from "../api.js";
import { make } from "../dom.js";
import { pageHead } from "../components.js";

const PLACE = /^(?:topic\/([^/]+)(?:\/(.+))?|page\/(errata|claims))$/;
let last = { path: "", told: null };

/**
 * Read a place of the course; null where it is none of it.
 * @param {string} under what follows `#lab/`
 * @returns {{path: string, place: string} | null}
 */
export function coursePlace(under) {
  const found = PLACE.exec(under);
  if (!found) return null;
  const [, topic, place, page] = found;
  const path = page ?? `topics/${encodeURIComponent(topic)}`;
  return { path: `/studio/api/course/${path}`, place: place ?? "" };
}

/** Show a page of the course, at a place of it. */
export async function coursePage(body, { path, place }, title, signal) {
  // From one place of a page to another nothing is asked again.
  const told = last.path === path ? last.told : await get(path, { signal });
  last = { path, told };
  title(told.title);
  body.replaceChildren(
    pageHead(told.title, "", null, ["#lab", "Lab"]),
    make("div", { class: "lab" }, fragment(told.html)),
  );
  const target = place && document.getElementById(place);
  if (target) {
    target.classList.add("target");
    target.scrollIntoView();
  } else if (document.activeElement === document.body) body.querySelector("h1")?.focus({ preventScroll: true });
}

/** Return the list of topics and the state of the last run. */
export async function courseIndex(signal) {
  last = { path: "", told: null };
  return make("div", { class: "lab" }, fragment((await get("/studio/api/course", { signal })).html));
}

/** Return the nodes of HTML from the server; scripts in it would be dead. */
function fragment(html) {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}
