import type { Output, Terminal } from "../terminal.ts";
import { colourCodes } from "./colours.ts";

/**
 * Removes the control characters from a model's text, with which it could colour the terminal, set its title or
 * overwrite its contents. Newlines and tabs stay. A piece of a stream may end within a sequence, whose remainder is
 * then plain text.
 */
export const withoutControls = (text: string): string => text.replace(CONTROLS, "");

/**
 * Returns a terminal on which external texts have no effect: text from a cluster, a file or a server is written with
 * its control characters escaped as in JSON (`\u001b`). Only this program's colours stay.
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
 * Characters that a terminal interprets or does not show: controls, bidirectional controls, and other invisible
 * characters. Joiners stay, because emoji and several scripts need them.
 */
const CONTROLS = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes a character as in JSON. */
const writtenCharacter = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

function writtenOut(text: string, own: readonly string[]): string {
  return text.replace(CONTROLS, (control, at: number) =>
    own.some((code) => text.startsWith(code, at)) ? control : writtenCharacter(control),
  );
}
