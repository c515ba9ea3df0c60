// Pictures: by a caption, by a picture, and the classes of pictures and texts.
import { make } from "../dom.js";
import { empty, pageHead, tabs } from "../parts.js";
import { byCaption, byPicture } from "./matching.js";
import { classifyPicture, classifyText } from "./classes.js";

const memory = { tab: null };

export function show(holder, { shelf }) {
  const pictures = shelf.classifiers.filter((one) => one.kind === "images");
  const texts = shelf.classifiers.filter((one) => one.kind !== "images");
  const parts = [
    shelf.matchers.length && ["caption", "By caption", (panel) => byCaption(panel, shelf.matchers)],
    shelf.matchers.length && [
      "picture",
      "By picture",
      (panel) => byPicture(panel, shelf.matchers, shelf.limits),
    ],
    pictures.length && [
      "classes",
      "Class of a picture",
      (panel) => classifyPicture(panel, pictures, shelf.limits),
    ],
    texts.length && ["texts", "Class of a text", (panel) => classifyText(panel, texts)],
  ].filter(Boolean);
  if (!parts.length) {
    holder.append(
      pageHead("Pictures"),
      empty({
        title: "Nothing that knows pictures is served",
        picture: "pictures",
        text: "Train a network that matches pictures and captions, or a classifier, then serve its run:",
        command: "dragoman train RECIPE --output runs/matcher && dragoman serve runs/matcher",
      }),
    );
    return null;
  }
  const chosen = parts.some(([name]) => name === memory.tab) ? memory.tab : parts[0][0];
  const { element } = tabs("What to do", parts, chosen, (name, panel) => {
    memory.tab = name;
    panel.replaceChildren();
    parts.find(([other]) => other === name)[2](panel);
  });
  holder.append(
    pageHead("Pictures", "Find pictures by words and words by pictures, or ask for a class."),
    make("div", {}, element),
  );
  return null;
}
