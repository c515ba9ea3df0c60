// The description of the interface, rendered from /openapi.json.
import { get } from "../api.js";
import { make } from "../dom.js";
import { markdown } from "../markdown.js";
import { loading, pageHead, problem } from "../components.js";
import { themeButton } from "../themes.js";
import { route } from "./route.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const view = document.getElementById("view");

/** Return the routes by tag, in the order of the document. */
function grouped(api) {
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths ?? {})) {
    for (const method of METHODS.filter((name) => methods[name])) {
      const told = methods[method],
        tag = told.tags?.[0] ?? "general";
      const parameters = [...(methods.parameters ?? []), ...(told.parameters ?? [])];
      const id = `${method}-${path}`.replace(/[^\w]+/g, "-").replace(/-+$/, "");
      groups.set(tag, [...(groups.get(tag) ?? []), { ...told, path, method, parameters, id }]);
    }
  }
  return groups;
}

function contents(groups) {
  document.getElementById("contents").replaceChildren(
    ...[...groups].map(([tag, routes]) =>
      make(
        "div",
        {},
        make("p", { class: "label", text: tag }),
        make(
          "ul",
          {},
          routes.map(({ id, path, method }) =>
            make(
              "li",
              {},
              make(
                "a",
                { href: `#${id}` },
                make("span", { class: `method ${method}`, text: method }),
                make("span", { class: "path" }, ...breakable(path)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
/** A path may break after its slashes. */
const breakable = (path) => path.split(/(?<=\/)/).flatMap((part) => [part, document.createElement("wbr")]);

async function start() {
  view.replaceChildren(loading());
  try {
    const api = await get("/openapi.json");
    const groups = grouped(api),
      described = new Map((api.tags ?? []).map((tag) => [tag.name, tag.description]));
    contents(groups);
    view.replaceChildren(
      pageHead(
        `${api.info?.title ?? "API"} API`,
        `Version ${api.info?.version ?? "?"}, at ${location.origin}`,
      ),
      ...(api.info?.description ? [markdown(api.info.description, { level: 2 })] : []),
      ...[...groups].map(([tag, routes]) =>
        make(
          "section",
          { class: "block" },
          make("h2", { text: tag }),
          described.get(tag) && make("p", { class: "faint about", text: described.get(tag) }),
          make("div", { class: "routes" }, routes.map((one) => route(one, api))),
        ),
      ),
    );
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  } catch (failure) {
    view.replaceChildren(problem(failure, start));
  }
}

themeButton(document.getElementById("theme"));
start();
