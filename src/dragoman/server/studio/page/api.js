// Talking to the server: one way to ask, one kind of failure, and knowing whether it is there.

/** Something went wrong; `kind` says what can be done: "gone", "key", "busy", "stale" or "refused". */
export class Failure extends Error {
  /** @param {string} message @param {{kind?: string, status?: number, id?: string, after?: number}} [about] */
  constructor(message, { kind = "refused", status = 0, id = "", after = 0 } = {}) {
    super(message);
    Object.assign(this, { kind, status, id, after });
  }
}

const watchers = new Set();
let there = true;

/** Be told when the server goes away and when it is back. */
export function watchServer(tell) {
  watchers.add(tell);
}
function found(now) {
  if (now === there) return;
  there = now;
  for (const tell of watchers) tell(there);
}

/** Ask for a response; a failure is thrown as a Failure, an abort as kind "stale". */
export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw new Failure("no longer wanted", { kind: "stale" });
    found(false);
    throw new Failure("The server does not answer.", { kind: "gone" });
  }
  found(true);
  if (!response.ok) throw await failure(response);
  return response;
}

async function failure(response) {
  const { status } = response;
  const told = await response.json().catch(() => ({}));
  const error = told.error ?? told.detail ?? {};
  const message = typeof error === "string" ? error : error.message;
  const id = told.id ?? error.id ?? response.headers.get("X-Request-Id") ?? "";
  const after = Number(response.headers.get("Retry-After")) || 0;
  if (status === 401) {
    return new Failure("This server requires an API key. Enter it when your browser asks, then try again.", {
      kind: "key",
      status,
      id,
    });
  }
  const kind = status === 503 || status === 429 ? "busy" : "refused";
  return new Failure(message || `The server answered with status ${status}.`, { kind, status, id, after });
}

/** Ask for JSON with GET. */
export async function get(path, { signal } = {}) {
  return (await ask(path, { signal, headers: { Accept: "application/json" } })).json();
}

/** Send JSON, get JSON. */
export async function post(path, body, { signal } = {}) {
  return (await send(path, body, { signal })).json();
}

/** Send JSON, get the response itself. */
export function send(path, body, { signal } = {}) {
  return ask(path, {
    method: "POST",
    signal,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Send fields and files, get JSON. */
export async function submit(path, fields, { signal } = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return (await ask(path, { method: "POST", signal, body: form })).json();
}

/**
 * Only the latest question counts: asking again drops the one before.
 * @returns {(act: (signal: AbortSignal) => Promise<any>) => Promise<any>}
 */
export function latest() {
  let current = null;
  const run = async (act) => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    const result = await act(mine.signal);
    if (current !== mine) throw new Failure("no longer wanted", { kind: "stale" });
    return result;
  };
  run.cancel = () => current?.abort();
  return run;
}
