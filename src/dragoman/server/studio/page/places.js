// The places of the studio, and which of them the shelf has something for.

/** Each place: its name in the address, its label, its module, and whether there is something in it. */
export const PLACES = [
  {
    name: "translate",
    label: "Translate",
    title: "Translate",
    load: () => import("./translate/view.js"),
    has: (shelf) => shelf.translators.length > 0,
    does: "Translate as you type, with alternatives, confidence, attention and the beam.",
    command: "dragoman demo && dragoman serve runs/demo",
  },
  {
    name: "files",
    label: "Files",
    title: "Files",
    load: () => import("./files.js"),
    has: (shelf) => shelf.translators.length > 0,
    does: "Drop a document and get it back translated, its format kept.",
    command: "dragoman demo && dragoman serve runs/demo",
  },
  {
    name: "write",
    label: "Write",
    title: "Write",
    load: () => import("./write/view.js"),
    has: (shelf) => shelf.writers.length > 0,
    does: "Let a language model go on writing, and see what each token could have been.",
    command: "dragoman serve RUN_OF_A_LANGUAGE_MODEL",
  },
  {
    name: "pictures",
    label: "Pictures",
    title: "Pictures",
    load: () => import("./pictures/view.js"),
    has: (shelf) => shelf.matchers.length + shelf.classifiers.length > 0,
    does: "Find pictures by a caption, captions by a picture, and the class of either.",
    command: "dragoman serve RUN_OF_A_MATCHER",
  },
  {
    name: "runs",
    label: "Runs",
    title: "Runs",
    load: () => import("./runs/view.js"),
    has: (shelf) => (shelf.runs ?? 1) > 0,
    does: "Curves, samples, model cards and the doctor's findings, live while a run trains.",
    command: "dragoman train RECIPE",
  },
  {
    name: "lab",
    label: "Lab",
    title: "Lab",
    load: () => import("./lab/view.js"),
    has: (shelf) => (shelf.experiments ?? 1) > 0,
    does: "What became of the statements of the course notes, with tables and pictures.",
    command: "dragoman lab list",
  },
  { name: "more", label: "More", title: "More", load: () => import("./more.js"), has: () => false },
];

export const offered = (shelf) => PLACES.filter((place) => place.has(shelf));
