// The views of the studio: name in the address, label, module, and whether there is something to show.
import { empty, pageHead } from "./components.js";

const translators = (overview) => overview.translators.length > 0;
const NO_TRANSLATOR = {
  title: "No translator is being served",
  text: "Train one on the built-in grammar in two minutes, then serve it:",
  command: "dragoman demo && dragoman serve runs/demo",
};

export const VIEWS = [
  {
    name: "translate",
    label: "Translate",
    load: () => import("./translate/view.js"),
    has: translators,
    missing: NO_TRANSLATOR,
  },
  { name: "files", label: "Files", load: () => import("./files.js"), has: translators, missing: NO_TRANSLATOR },
  {
    name: "generate",
    label: "Generate",
    load: () => import("./generate/view.js"),
    has: (overview) => overview.language_models.length > 0,
    missing: {
      title: "No language model is being served",
      text: "Train one in a few minutes, then serve it:",
      command: "dragoman train grammar-gpt && dragoman serve runs/grammar-gpt",
    },
  },
  {
    name: "images",
    label: "Images",
    load: () => import("./images/view.js"),
    has: (overview) => overview.matchers.length + overview.classifiers.length > 0,
    missing: {
      title: "No image model is being served",
      text: "Train an image–text model or a classifier, then serve it:",
      command: "dragoman train emoji-clip && dragoman serve runs/emoji-clip",
    },
  },
  { name: "runs", label: "Runs", load: () => import("./runs/view.js"), has: ({ runs }) => (runs ?? 1) > 0 },
  {
    name: "lab",
    label: "Lab",
    load: () => import("./lab/view.js"),
    has: ({ experiments }) => (experiments ?? 1) > 0,
  },
];

/** Load the module of a view, or where it has nothing to show, what says how to change that. */
export async function moduleOf({ name, label, load, has, missing }, overview) {
  if (!missing || has(overview)) return load();
  return { show: (holder) => holder.append(pageHead(label), empty({ ...missing, symbol: name })) };
}
