import type { Output, Terminal } from "../terminal.ts";
import { colourCodes } from "./colours.ts";

/**
 * A model's text as a terminal may show it: without the control characters by which it could colour, retitle or
 * rewrite what a person sees. Newlines and tabs stay. Pieces of a stream may end anywhere: what is left of a sequence
 * is plain text.
 */
export const withoutControls = (text: string): string => text.replace(CONTROLS, "");

/**
 * A terminal on which texts of others move nothing: what a cluster, a file or a server says is shown with its control
 * characters written out (`\u001b`), as JSON writes them. Only the colours of this program stay.
 */
export function guardedTerminal(terminal: Terminal): Terminal {
  return { ...terminal, out: guarded(terminal.out), err: guarded(terminal.err) };
}

function guarded(output: Output): Output {
  const own = output.colour ? colourCodes : [];
  return {
    ...output,
    write: (text) => output.write(writtenOut(text, own)),
    pass: (text) => output.write(text),
  };
}

/**
 * Characters that a terminal acts on or does not show: controls, those that turn the direction of the text round, and
 * others without a shape. Joiners stay, since emoji and several scripts need them.
 */
const CONTROLS = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A character as JSON writes it out. */
const writtenCharacter = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

function writtenOut(text: string, own: readonly string[]): string {
  return text.replace(CONTROLS, (control, at: number) =>
    own.some((code) => text.startsWith(code, at)) ? control : writtenCharacter(control),
  );
}
