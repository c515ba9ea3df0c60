// A place to drop files on, which is also a button to choose them with.
import { make, unique } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Make a drop zone.
 * @param {{title: string, line: string, accept: string, several?: boolean, took: (files: File[]) => void}} given
 */
export function dropZone({ title, line, accept, several = false, took }) {
  const id = unique("file");
  const input = make("input", { type: "file", id, accept, multiple: several, "aria-label": title });
  const zone = make(
    "label",
    { class: "drop", for: id },
    icon("upload"),
    make("strong", { text: title }),
    make("span", { class: "faint small", text: line }),
    input,
  );
  input.addEventListener("change", () => {
    if (input.files.length) took([...input.files]);
    input.value = ""; // the same file may come again
  });
  let depth = 0;
  const over = (by) => {
    depth = by === 0 ? 0 : depth + by;
    zone.classList.toggle("over", depth > 0);
  };
  zone.addEventListener("dragenter", (event) => {
    event.preventDefault();
    over(1);
  });
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("dragleave", () => over(-1));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    over(0);
    const files = [...event.dataTransfer.files];
    if (files.length) took(several ? files : files.slice(0, 1));
  });
  return zone;
}

/** Images of fewer pixels across are shown with their pixels, not blurred. */
export const COARSE = 100;

/** Draw an image that was chosen, without giving it an address. */
export async function preview(file, name) {
  const bitmap = await createImageBitmap(file);
  const share = Math.min(1, 320 / Math.max(bitmap.width, bitmap.height));
  const canvas = make("canvas", { role: "img", "aria-label": name, class: "preview" });
  canvas.width = Math.max(1, Math.round(bitmap.width * share));
  canvas.height = Math.max(1, Math.round(bitmap.height * share));
  canvas.classList.toggle("coarse", bitmap.width < COARSE);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}
