"use strict";
(() => {
  const root = document.documentElement;
  const wish = matchMedia("(prefers-color-scheme: dark)");
  const keep = (act) => {
    try {
      return act(localStorage);
    } catch {
      return null; // a browser that keeps nothing
    }
  };
  const kept = keep((store) => store.getItem("dragoman-theme"));
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : wish.matches;
    root.dataset.theme = dark ? "light" : "dark";
    keep((store) => store.setItem("dragoman-theme", root.dataset.theme));
  });
})();
