// Image search by caption, and caption search by image.
import { announce, debounce, make, bidi } from "../dom.js";
import { latest, post, submit } from "../api.js";
import { bytes, percent, whole } from "../numbers.js";
import { picker, problem } from "../components.js";
import { COARSE, dropZone, preview } from "../uploads.js";

const COUNT = 12;
const CAPTIONS = 10;
const memory = { run: null, text: "" };

const chosen = (matchers) => matchers.find((one) => one.name === memory.run) ?? matchers[0];
const which = (matchers, change) =>
  matchers.length > 1 &&
  picker(
    "Run",
    matchers.map((one) => [one.name, one.title || one.name]),
    chosen(matchers).name,
    (name) => {
      memory.run = name;
      change();
    },
  );

/** Type a caption, see the nearest images. */
export function byCaption(panel, matchers) {
  const newest = latest();
  const input = make("input", {
    type: "search",
    class: "input large",
    dir: "auto",
    "aria-label": "Caption",
    placeholder: "a red circle above a blue square",
    autocomplete: "off",
  });
  const grid = make("ul", { class: "images", "aria-label": "Nearest images" });
  const note = make("p", {
    class: "faint small",
    text: chosen(matchers).images ? `Searches ${whole(chosen(matchers).images)} images.` : "",
  });
  const trouble = make("div");
  const search = async () => {
    memory.text = input.value;
    const text = input.value.trim();
    trouble.replaceChildren();
    if (!text) {
      newest.cancel();
      grid.replaceChildren();
      return;
    }
    try {
      const { matches, why = "" } = await newest((signal) =>
        post("/studio/api/nearest-images", { run: chosen(matchers).name, text, count: COUNT }, { signal }),
      );
      grid.replaceChildren(...matches.map(tile));
      trouble.replaceChildren(matches.length ? "" : why || "No results.");
      announce(`${matches.length} images. Nearest: ${matches[0]?.caption ?? ""}`);
    } catch (failure) {
      if (failure.kind !== "stale") trouble.replaceChildren(problem(failure, search));
    }
  };
  input.addEventListener("input", debounce(search, 300));
  input.value = memory.text;
  panel.append(make("div", { class: "row search" }, input, which(matchers, search)), note, trouble, grid);
  if (memory.text) search();
}

function tile({ image: address, caption, likeness, probability }) {
  const here = new URL(address, location.href);
  const image = make("img", {
    alt: caption || "An image without a caption",
    loading: "lazy",
    decoding: "async",
  });
  image.addEventListener("load", () => image.classList.toggle("coarse", image.naturalWidth < COARSE));
  image.src = here.pathname + here.search;
  return make(
    "li",
    {},
    make(
      "figure",
      {},
      image,
      make(
        "figcaption",
        {},
        bidi(caption, { tag: "span" }),
        make("span", {
          class: "faint small number",
          title:
            probability === undefined || probability === null
              ? null
              : `Probability among all images: ${percent(probability)}`,
          text: `similarity ${likeness.toFixed(2)}`,
        }),
      ),
    ),
  );
}

/** Drop an image, see the nearest captions. */
export function byImage(panel, matchers, limits) {
  const newest = latest();
  const found = make("div", { class: "beside", hidden: true });
  let last = null;
  const search = async (file) => {
    last = file;
    found.hidden = false;
    found.classList.add("busy");
    try {
      const shown = await preview(file, `The image ${file.name}`).catch(() =>
        make("span", { class: "faint", text: file.name }),
      );
      const { matches, why = "" } = await newest((signal) =>
        submit("/studio/api/nearest-captions", { run: chosen(matchers).name, file }, { signal }),
      );
      found.replaceChildren(
        shown,
        !matches.length
          ? make("p", { class: "faint", text: why || "No results." })
          : make(
              "ol",
              { class: "bars", "aria-label": "Nearest captions" },
              matches
                .slice(0, CAPTIONS)
                .map((one) =>
                  make(
                    "li",
                    { style: { "--share": one.probability ?? one.likeness } },
                    bidi(one.caption, { tag: "span" }),
                    make("span", { class: "number small", text: one.likeness.toFixed(2), title: "Similarity" }),
                  ),
                ),
            ),
      );
      announce(`Nearest caption: ${matches[0]?.caption ?? "none"}`);
    } catch (failure) {
      if (failure.kind !== "stale") found.replaceChildren(problem(failure, () => search(file)));
    } finally {
      found.classList.remove("busy");
    }
  };
  panel.append(
    make(
      "div",
      { class: "stack" },
      which(matchers, () => last && search(last)),
      dropZone({
        title: "Drop an image here, or click to choose",
        line: `PNG or JPEG · up to ${bytes(limits?.upload ?? 0)}`,
        accept: "image/*",
        took: ([file]) => search(file),
      }),
      found,
    ),
  );
}
