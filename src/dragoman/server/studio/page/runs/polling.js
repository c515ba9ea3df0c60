// Asking again and again, but not while nobody looks.

/**
 * Call `ask` now, and again after as many milliseconds as it returns; 0 ends it. Nothing is asked
 * while the page is hidden.
 * @param {(signal: AbortSignal) => Promise<number>} ask
 */
export function polling(ask) {
  const stopped = new AbortController();
  let timer = 0,
    busy = false;
  const now = async () => {
    clearTimeout(timer);
    if (busy || stopped.signal.aborted || document.hidden) return;
    busy = true;
    const wait = await ask(stopped.signal);
    busy = false;
    if (wait && !stopped.signal.aborted) timer = setTimeout(now, wait);
  };
  document.addEventListener("visibilitychange", now, { signal: stopped.signal });
  now();
  return {
    now,
    stop() {
      clearTimeout(timer);
      stopped.abort();
    },
  };
}
