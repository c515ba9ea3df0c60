// What the studio could also do, and how to come to it.
import { make } from "./dom.js";
import { commandLine, pageHead } from "./parts.js";
import { PLACES } from "./places.js";

export function show(holder, { shelf }) {
  const missing = PLACES.filter((place) => place.does && !place.has(shelf));
  holder.append(
    pageHead("More", "What the studio can also do, once there is something to do it with."),
    make(
      "div",
      { class: "sheet" },
      make(
        "ul",
        { class: "records" },
        missing.map((place) =>
          make(
            "li",
            {},
            make("h2", { text: place.label }),
            make("p", { class: "faint", text: place.does }),
            commandLine(place.command),
          ),
        ),
      ),
    ),
  );
}
