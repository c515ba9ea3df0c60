"use strict";
// Runs before anything is drawn, so that a remembered theme does not flash.
(() => {
  const kept = (() => {
    try {
      return localStorage.getItem("dragoman-theme");
    } catch {
      return null;
    }
  })();
  if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
})();
