// Images: search by caption or by image, and classification of images and texts.
import { make } from "../dom.js";
import { pageHead, tabs } from "../components.js";
import { byCaption, byImage } from "./search.js";
import { classifyImage, classifyText } from "./classify.js";

const memory = { tab: null };

export function show(holder, { overview }) {
  const { matchers, limits } = overview;
  const images = overview.classifiers.filter((one) => one.kind === "images");
  const texts = overview.classifiers.filter((one) => one.kind !== "images");
  const parts = [
    matchers.length && ["caption", "Search by caption", (panel) => byCaption(panel, matchers)],
    matchers.length && ["image", "Search by image", (panel) => byImage(panel, matchers, limits)],
    images.length && ["classes", "Classify image", (panel) => classifyImage(panel, images, limits)],
    texts.length && ["texts", "Classify text", (panel) => classifyText(panel, texts)],
  ].filter(Boolean);
  const chosen = parts.some(([name]) => name === memory.tab) ? memory.tab : parts[0][0];
  const { element } = tabs("Tasks", parts, chosen, (name, panel) => {
    memory.tab = name;
    panel.replaceChildren();
    parts.find(([other]) => other === name)[2](panel);
  });
  holder.append(
    pageHead("Images", "Search images by caption and captions by image, or classify them."),
    make("div", {}, element),
  );
  return null;
}
