// Light and dark: as the system has it, unless the user has chosen.
import { icon } from "./icons.js";

const wish = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : wish.matches);

/** Be told when the theme changes; returns how to stop. */
export function watchTheme(tell) {
  const call = () => tell(isDark());
  addEventListener("theme", call);
  return () => removeEventListener("theme", call);
}

/** Let a button switch the theme, and remember it. */
export function themeButton(button) {
  const show = () => {
    const name = `Switch to ${isDark() ? "light" : "dark"}`;
    button.replaceChildren(icon(isDark() ? "sun" : "moon"));
    button.setAttribute("aria-label", name);
    button.title = name;
    dispatchEvent(new Event("theme"));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("dragoman-theme", root.dataset.theme);
    } catch {
      // It holds until the page is left.
    }
    show();
  });
  wish.addEventListener("change", show);
  show();
}
