import type { Output } from "../terminal.ts";

const codes = { red: 31, green: 32, yellow: 33, grey: 90 } as const;

export type Colour = keyof typeof codes;

/** Colours a text where the output shows colours. */
export function coloured({ colour }: Pick<Output, "colour">, name: Colour, text: string): string {
  return colour ? `\u001b[${codes[name]}m${text}\u001b[39m` : text;
}
