/**
 * A model's text as a terminal may show it: without the control characters by which it could colour, retitle or
 * rewrite what a person sees. Newlines and tabs stay. Pieces of a stream may end anywhere: what is left of a sequence
 * is plain text.
 */
export const withoutControls = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, "");
