// Files: drop one, get it back translated.
import { announce, make, bidi } from "./dom.js";
import { get, submit } from "./api.js";
import { icon } from "./icons.js";
import { save, load } from "./storage.js";
import { bytes } from "./numbers.js";
import { pageHead, picker, problem } from "./components.js";
import { directions, nameOf } from "./translate/directions.js";
import { dropZone } from "./uploads.js";

const KINDS = "po mo xliff tmx json yaml srt vtt html md docx txt tsv csv".split(" ");

export function show(holder, { overview }) {
  const ways = directions(overview),
    wanted = load("direction");
  let direction =
    ways.find((one) => one.source === wanted?.source && one.target === wanted?.target) ?? ways[0];
  const list = make("ul", { class: "records sheet", "aria-label": "Files", hidden: true });
  const leaving = new AbortController();
  let line = Promise.resolve();

  const words = (one) =>
    `${nameOf(overview, one.source, "Source")} → ${nameOf(overview, one.target, "Translation")}`;
  const way = picker(
    "Direction",
    ways.map((one, at) => [at, words(one)]),
    ways.indexOf(direction),
    (at) => {
      direction = ways[at];
      save("direction", direction);
    },
  );
  const zone = dropZone({
    title: "Drop files here, or click to choose",
    line: `${KINDS.join(", ")} · up to ${bytes(overview.limits?.upload ?? 0)}`,
    accept: KINDS.map((kind) => `.${kind}`).join(","),
    several: true,
    took: (files) =>
      files.forEach((file) => {
        const row = record(
          file,
          direction,
          overview.limits?.upload ?? Infinity,
          leaving.signal,
          words(direction),
        );
        list.hidden = false;
        list.prepend(row.element);
        line = line.then(row.start); // one after the other, in their order
      }),
  });
  holder.append(
    pageHead("Files", "Translate documents; their format is kept.", way),
    zone,
    list,
  );
  // The server knows best which files it takes.
  get("/frontend/settings", { signal: leaving.signal })
    .then(({ supportedFilesFormat }) => {
      if (supportedFilesFormat?.length) zone.querySelector("input").accept = supportedFilesFormat.join(",");
    })
    .catch(() => null);
  return () => leaving.abort();
}

function record(file, { source, target }, most, leaving, words) {
  const state = make("div", { class: "row" });
  const bar = make("div", { class: "meter busy", hidden: true }, make("i"));
  const element = make(
    "li",
    {},
    icon("files"),
    make(
      "div",
      { class: "grow" },
      bidi(file.name, { tag: "strong" }),
      make("span", { class: "faint small", text: `${bytes(file.size)} · ${words}` }),
      bar,
    ),
    state,
  );
  const abort = new AbortController();
  leaving.addEventListener("abort", () => abort.abort());
  let dropped = false;
  const drop = make("button", {
    type: "button",
    class: "text-button",
    text: "Cancel",
    "aria-label": `Cancel ${file.name}`,
  });
  drop.addEventListener("click", () => {
    dropped = true;
    abort.abort();
    element.remove();
  });
  state.replaceChildren(make("span", { class: "faint small", text: "Waiting" }), drop);

  async function start() {
    if (dropped || leaving.aborted) return;
    const began = performance.now();
    const clock = make("span", { class: "faint small number", text: "Translating" });
    const timer = setInterval(() => {
      clock.textContent = `Translating, ${Math.round((performance.now() - began) / 1000)} s`;
    }, 1000);
    bar.hidden = false;
    state.replaceChildren(clock, drop);
    try {
      if (file.size > most)
        throw Object.assign(
          new Error(`The file is too large (${bytes(file.size)}); limit: ${bytes(most)}.`),
          { kind: "refused" },
        );
      const { translatedFileUrl } = await submit(
        "/translate_file",
        { file, source: source || "auto", target },
        { signal: abort.signal },
      );
      const there = new URL(translatedFileUrl, location.href);
      state.replaceChildren(
        make("span", { class: "chip good" }, `Done in ${((performance.now() - began) / 1000).toFixed(1)} s`),
        make(
          "a",
          {
            class: "button first",
            href: there.pathname + there.search,
            download: "",
            "aria-label": `Download ${file.name}, translated`,
          },
          icon("download"),
          "Download",
        ),
      );
      announce(`${file.name} has been translated.`);
    } catch (failure) {
      if (failure.kind !== "stale") {
        element.classList.add("failed");
        state.replaceChildren(
          problem(failure, () => {
            element.classList.remove("failed");
            start();
          }),
        );
      }
    } finally {
      clearInterval(timer);
      bar.hidden = true;
    }
  }
  return { element, start };
}
