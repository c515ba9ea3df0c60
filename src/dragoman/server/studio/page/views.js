// The views of the studio: name in the address, label, what shows it, and whether there is something to show.
// All are loaded with the page: a browser that once failed to import a module never asks for it again.
import { empty, pageHead } from "./components.js";
import * as files from "./files.js";
import * as generate from "./generate/view.js";
import * as images from "./images/view.js";
import * as lab from "./lab/view.js";
import * as runs from "./runs/view.js";
import * as translate from "./translate/view.js";

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
    show: translate.show,
    has: translators,
    missing: NO_TRANSLATOR,
  },
  { name: "files", label: "Files", show: files.show, has: translators, missing: NO_TRANSLATOR },
  {
    name: "generate",
    label: "Generate",
    show: generate.show,
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
    show: images.show,
    has: (overview) => overview.matchers.length + overview.classifiers.length > 0,
    missing: {
      title: "No image model is being served",
      text: "Train an image–text model or a classifier, then serve it:",
      command: "dragoman train emoji-clip && dragoman serve runs/emoji-clip",
    },
  },
  { name: "runs", label: "Runs", show: runs.show, has: ({ runs }) => (runs ?? 1) > 0 },
  {
    name: "lab",
    label: "Lab",
    show: lab.show,
    has: ({ experiments }) => (experiments ?? 1) > 0,
  },
];

/** Let a view fill its holder, or where it has nothing to show, say how to change that; return what leaves it. */
export function show(view, holder, context) {
  const { name, label, has, missing } = view;
  if (!missing || has(context.overview)) return view.show(holder, context);
  holder.append(pageHead(label), empty({ ...missing, symbol: name }));
  return null;
}
