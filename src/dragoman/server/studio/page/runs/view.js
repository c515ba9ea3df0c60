// Runs: all of them, or one.
import { list } from "./list.js";
import { page } from "./page.js";

export function show(holder, context) {
  return context.under ? page(holder, context.under, context) : list(holder);
}
