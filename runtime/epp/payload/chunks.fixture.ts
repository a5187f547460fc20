import fc from "fast-check";

/** Cuts bytes at the given offsets, which are taken modulo their length. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

/** Returns every way to cut bytes in two, and the cut into single bytes. */
export function cuts(bytes: Buffer): Buffer[][] {
  const places = Array.from(bytes, (_, place) => place);
  return [...places.map((place) => cut(bytes, [place])), cut(bytes, places)];
}

export const places = fc.array(fc.nat(), { maxLength: 12 });

/** Objects like responses: the relevant members at every depth, and texts that look like them. */
export const responseObject = (models: readonly string[]) => {
  const text = fc.oneof(
    fc.constantFrom(...models, ...models.map((model) => `{"model":"${model}","usage":{"x":1}}`)),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom('"', "\\", '\\"', "\n\ndata: ", "}", '","model":"'),
  );
  const usage = fc.record(
    { prompt_tokens: fc.nat(), output_tokens: fc.nat(), text },
    { requiredKeys: [] },
  );
  const key = fc.constantFrom("model", "response", "message", "usage", "choices", "Model", "mod");
  return fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.constantFrom(null, true, 0, -1.5e-7),
      usage,
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(key, tie("value"), { maxKeys: 6 }),
  })).object;
};

/** Lines of a stream that contain no data, and line ends. */
export const otherLine = fc.constantFrom(
  "",
  "event: message_start",
  ": {",
  "id: 7",
  "retry: 10",
  "data",
  "dat: {}",
  "data: [DONE]",
  'data: {"model":"cut off',
  'data: {"choices":[{',
);
export const lineEnd = fc.constantFrom("\n", "\n\n", "\r\n", "\r\n\r\n");
