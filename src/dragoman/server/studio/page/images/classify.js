// Classification of images and texts, with the probability of each class.
import { announce, debounce, make, bidi } from "../dom.js";
import { latest, post, submit } from "../api.js";
import { bytes, percent } from "../numbers.js";
import { picker, problem } from "../components.js";
import { dropZone, preview } from "../uploads.js";

const MOST = 12;
const memory = { images: null, text: null, written: "" };

const chosen = (runs, kind) => runs.find((one) => one.name === memory[kind]) ?? runs[0];
const which = (runs, kind, change) =>
  runs.length > 1 &&
  picker(
    "Run",
    runs.map((one) => [one.name, one.name]),
    chosen(runs, kind).name,
    (name) => {
      memory[kind] = name;
      change();
    },
  );

function verdict({ label, probabilities }) {
  const rows = Object.entries(probabilities).sort((one, other) => other[1] - one[1]);
  announce(`${label}, ${percent(probabilities[label] ?? 0)}`);
  return make(
    "div",
    { class: "stack" },
    make("p", { class: "verdict" }, bidi(label, { tag: "strong" })),
    make(
      "ol",
      { class: "bars", "aria-label": "Classes" },
      rows
        .slice(0, MOST)
        .map(([name, share]) =>
          make(
            "li",
            { style: { "--share": share } },
            bidi(name, { tag: "span" }),
            make("span", { class: "number small", text: percent(share) }),
          ),
        ),
    ),
    rows.length > MOST && make("p", { class: "faint small", text: `and ${rows.length - MOST} more` }),
  );
}

/** Drop an image, see its class. */
export function classifyImage(panel, runs, limits) {
  const newest = latest();
  const found = make("div", { class: "beside", hidden: true });
  let last = null;
  const look = async (file) => {
    last = file;
    found.hidden = false;
    try {
      const shown = await preview(file, `The image ${file.name}`).catch(() =>
        make("span", { class: "faint", text: file.name }),
      );
      const answer = await newest((signal) =>
        submit("/studio/api/classify-image", { run: chosen(runs, "images").name, file }, { signal }),
      );
      found.replaceChildren(shown, verdict(answer));
    } catch (failure) {
      if (failure.kind !== "stale") found.replaceChildren(problem(failure, () => look(file)));
    }
  };
  panel.append(
    make(
      "div",
      { class: "stack" },
      which(runs, "images", () => last && look(last)),
      dropZone({
        title: "Drop an image here, or click to choose",
        line: `PNG or JPEG · up to ${bytes(limits?.upload ?? 0)}`,
        accept: "image/*",
        took: ([file]) => look(file),
      }),
      found,
    ),
  );
}

/** Type a text, see its class. */
export function classifyText(panel, runs) {
  const newest = latest();
  const field = make("textarea", {
    class: "input prompt-field",
    rows: "4",
    dir: "auto",
    "aria-label": "Text to classify",
    placeholder: "Type or paste text",
  });
  const found = make("div");
  const look = async () => {
    memory.written = field.value;
    if (!field.value.trim()) {
      newest.cancel();
      found.replaceChildren();
      return;
    }
    try {
      const answer = await newest((signal) =>
        post("/studio/api/classify-text", { run: chosen(runs, "text").name, text: field.value }, { signal }),
      );
      found.replaceChildren(verdict(answer));
    } catch (failure) {
      if (failure.kind !== "stale") found.replaceChildren(problem(failure, look));
    }
  };
  field.addEventListener("input", debounce(look, 300));
  field.value = memory.written;
  panel.append(make("div", { class: "stack" }, which(runs, "text", look), field, found));
  if (memory.written) look();
}
