// Files: drop one, get it back translated.
import { announce, make, said } from "./dom.js";
import { get, submit } from "./api.js";
import { icon } from "./icons.js";
import { keep, kept } from "./keep.js";
import { bytes } from "./numbers.js";
import { empty, pageHead, picker, problem } from "./parts.js";
import { directions, nameOf } from "./translate/directions.js";
import { dropZone } from "./uploads.js";

const KINDS = "po mo xliff tmx json yaml srt vtt html md docx txt tsv csv".split(" ");

export function show(holder, { shelf }) {
  if (!shelf.translators.length) {
    holder.append(
      pageHead("Files"),
      empty({
        title: "No translator is served",
        picture: "files",
        text: "Files are translated by a run. Train one in two minutes, then serve it:",
        command: "dragoman demo && dragoman serve runs/demo",
      }),
    );
    return null;
  }
  const ways = directions(shelf),
    wanted = kept("direction");
  let direction =
    ways.find((one) => one.source === wanted?.source && one.target === wanted?.target) ?? ways[0];
  const list = make("ul", { class: "records sheet", "aria-label": "Files", hidden: true });
  const leaving = new AbortController();
  let line = Promise.resolve();

  const words = (one) =>
    `${nameOf(shelf, one.source, "Source")} → ${nameOf(shelf, one.target, "Translation")}`;
  const way = picker(
    "Direction",
    ways.map((one, at) => [at, words(one)]),
    ways.indexOf(direction),
    (at) => {
      direction = ways[at];
      keep("direction", direction);
    },
  );
  const zone = dropZone({
    title: "Drop files here, or choose them",
    line: `${KINDS.join(", ")} · up to ${bytes(shelf.limits?.upload ?? 0)}`,
    accept: KINDS.map((kind) => `.${kind}`).join(","),
    several: true,
    took: (files) =>
      files.forEach((file) => {
        const row = record(
          file,
          direction,
          shelf.limits?.upload ?? Infinity,
          leaving.signal,
          words(direction),
        );
        list.hidden = false;
        list.prepend(row.element);
        line = line.then(row.start); // one after the other, in their order
      }),
  });
  holder.append(
    pageHead("Files", "A file comes back in its own format: only its text is translated.", way),
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
      said(file.name, { tag: "strong" }),
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
          new Error(`The file has ${bytes(file.size)}; the server takes up to ${bytes(most)}.`),
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
      announce(`${file.name} is translated.`);
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
