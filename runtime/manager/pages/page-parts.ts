import { setImmediate } from "node:timers/promises";
import { limits } from "../../limits.ts";

/** Longest piece of a page, in characters. */
const pieceLength = 64 * 1024;

/**
 * Yields the parts of a page in pieces. The page is never whole in memory: the next piece is made after the reader took
 * the previous one, each in a separate turn of the event loop, so that requests are served in between.
 */
export async function* inTurns(parts: Iterable<string>): AsyncGenerator<string> {
  let piece = "";
  let from = performance.now();
  for (const part of parts) {
    piece += part;
    if (piece.length < pieceLength && performance.now() - from < limits.pageTurn.value) continue;
    yield piece;
    piece = "";
    await setImmediate();
    from = performance.now();
  }
  yield piece;
}

/** Levels of lists and objects that are written in parts, such as the endpoints of each of several pools. */
const levels = 3;

const step = "  ";

/** Yields a value as JSON with a final line feed, in the format of `JSON.stringify`. */
export function* jsonParts(value: unknown): Iterable<string> {
  yield* partsOf(value, "");
  yield "\n";
}

function* partsOf(value: unknown, indent: string): Iterable<string> {
  if (typeof value !== "object" || value === null || indent.length === levels * step.length) {
    yield (JSON.stringify(value, null, step) ?? "null").replaceAll("\n", `\n${indent}`);
    return;
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  let before = open;
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined && open === "{") continue;
    yield `${before}\n${indent}${step}${open === "{" ? `${JSON.stringify(key)}: ` : ""}`;
    yield* partsOf(each, indent + step);
    before = ",";
  }
  yield before === open ? open + close : `\n${indent}${close}`;
}
