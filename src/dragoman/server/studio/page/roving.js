// One stop for the Tab key, arrow keys inside: for words, tokens and cells.

/**
 * Let arrow keys move among the elements that `find` returns.
 * @param {HTMLElement} box
 * @param {() => HTMLElement[]} find
 */
export function roving(box, find) {
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const all = find(),
      at = all.indexOf(event.target.closest("[tabindex]"));
    if (at < 0) return;
    const on = getComputedStyle(event.target).direction === "rtl" ? -1 : 1;
    const to = {
      ArrowRight: at + on,
      ArrowLeft: at - on,
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = all[Math.min(Math.max(to, 0), all.length - 1)];
    settle(all, next);
    next.focus();
  });
  box.addEventListener("focusin", ({ target }) => {
    const all = find();
    if (all.includes(target)) settle(all, target);
  });
}

/** Make one of them the stop. */
export function settle(all, chosen = all[0]) {
  for (const one of all) one.tabIndex = one === chosen ? 0 : -1;
}
