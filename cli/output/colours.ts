import type { Output } from "../terminal.ts";

const codes = { red: 31, green: 32, yellow: 33, grey: 90 } as const;

export type Colour = keyof typeof codes;

const sequence = (code: number) => `\u001b[${code}m`;
const DEFAULT_COLOUR = sequence(39);

/** The control sequences that `coloured` writes. */
export const colourCodes: readonly string[] = [
  ...Object.values(codes).map(sequence),
  DEFAULT_COLOUR,
];

/** Colours a string if the output shows colours. */
export function coloured({ colour }: Pick<Output, "colour">, name: Colour, text: string): string {
  return colour ? `${sequence(codes[name])}${text}${DEFAULT_COLOUR}` : text;
}
