// Text of a language model, token by token as it comes (server-sent events).
import { Failure, send } from "../api.js";

/** @typedef {{text: string, logprob: number|null, alternatives: [string, number][]}} Token */

/**
 * Stream a completion.
 * @param {object} settings the body of /v1/completions
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Token, string>} the reason for the end is returned
 */
export async function* completion(settings, signal) {
  const response = await send("/v1/completions", { ...settings, logprobs: 5, stream: true }, { signal });
  let reason = "";
  for await (const line of events(response.body, signal)) {
    if (line === "[DONE]") break;
    const told = JSON.parse(line);
    if (told.error)
      throw new Failure(told.error.message ?? String(told.error), { id: told.error.id ?? told.id });
    const choice = told.choices?.[0];
    if (!choice) continue;
    reason = choice.finish_reason ?? reason;
    yield* tokensOf(choice);
  }
  return reason;
}

function* tokensOf({ text, logprobs }) {
  if (!logprobs?.tokens?.length) {
    if (text) yield { text, logprob: null, alternatives: [] };
    return;
  }
  // A character may take several tokens; what is shown must still add up to the text.
  const whole = logprobs.tokens.join("") === text;
  for (const [at, token] of logprobs.tokens.entries()) {
    const top = Object.entries(logprobs.top_logprobs?.[at] ?? {});
    const alternatives = top.sort((one, other) => other[1] - one[1]);
    const shown = whole ? token : at === logprobs.tokens.length - 1 ? text : "";
    yield { text: shown, spelled: token, logprob: logprobs.token_logprobs?.[at] ?? null, alternatives };
  }
}

async function* events(stream, signal) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const parts = rest.split(/\r?\n\r?\n/);
      rest = parts.pop();
      for (const part of parts) {
        const data = part
          .split(/\r?\n/)
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).trimStart());
        if (data.length) yield data.join("\n");
      }
    }
  } catch (error) {
    if (signal.aborted) throw new Failure("no longer wanted", { kind: "stale" });
    throw new Failure("The connection to the server was lost.", { kind: "gone" });
  } finally {
    reader.cancel().catch(() => null);
  }
}
