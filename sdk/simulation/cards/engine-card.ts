import { z } from "zod";

/** Time of an engine's steps with one model, on one type of accelerator, divided over a number of devices. */

/** Positive numbers, each larger than the one before. */
const axis = z
  .array(z.number().positive())
  .min(2)
  .max(64)
  .refine((points) => points.every((point, at) => at === 0 || point > (points[at - 1] ?? 0)), {
    error: "must increase",
  });
/** Milliseconds; a step of an hour is an error of the card. */
const ms = z.number().positive().max(3_600_000);

/** How a model is divided over devices. */
export const Division = z.strictObject({
  /** Tensor-parallel devices of an engine. */
  devices: z.int().min(1).max(1_024),
  /**
   * How the experts of a mixture-of-experts model are divided: each one over all devices (`tensor`), or whole experts
   * (`expert`). Undefined for a dense model, and for one device.
   */
  experts: z.enum(["tensor", "expert"]).optional(),
});
export type Division = z.output<typeof Division>;

export const EngineCard = z
  .strictObject({
    /** Name on Hugging Face. */
    model: z.string().min(1).max(200),
    /** A type of accelerator, such as `h100-sxm`. */
    accelerator: z.string().min(1).max(100),
    /** `vllm` or `sglang`. */
    engine: z.string().min(1).max(100),
    /** Version of the engine that the times are of. */
    version: z.string().min(1).max(100),
    division: Division,
    /** Data type of the weights, as the source names it. */
    weights: z.string().min(1).max(100),
    /** Data type of keys and values, as the source names it. */
    cache: z.string().min(1).max(100),
    /** Program or measurement that the times are from. */
    source: z.string().min(1).max(500),
    /** Time to compute a prompt of which nothing is cached, by its tokens. */
    prompt: z.strictObject({ tokens: axis, ms: z.array(ms) }),
    /** Time of a step that computes one token of each sequence: a row per batch size, a column per context length. */
    step: z.strictObject({ batches: axis, contexts: axis, ms: z.array(z.array(ms)) }),
  })
  .refine(({ prompt }) => prompt.ms.length === prompt.tokens.length, {
    error: "must have a time for each number of tokens",
    path: ["prompt", "ms"],
  })
  .refine(
    ({ step }) =>
      step.ms.length === step.batches.length &&
      step.ms.every((row) => row.length === step.contexts.length),
    { error: "must have a row for each batch size, with a time for each context", path: ["step"] },
  );
export type EngineCard = z.output<typeof EngineCard>;

/**
 * Returns the time to compute a prompt alone, in ms. Between the points of the card it interpolates on logarithmic
 * scales, because attention makes the time grow faster than the prompt; above them it continues the last segment. A
 * shorter prompt than the first point takes the time of that point: a step loads all weights, whatever it computes.
 *
 * @param tokens number of prompt tokens; 0 takes no time
 */
export function promptMs({ prompt }: EngineCard, tokens: number): number {
  if (tokens <= 0) return 0;
  const logOfMs = (at: number) => Math.log(prompt.ms[at] as number);
  return Math.exp(between(prompt.tokens, logOfMs, tokens, Math.log));
}

/**
 * Returns the time of a step that computes one token of each sequence, in ms: linear between the points of the card, and
 * above them.
 *
 * @param batch number of sequences; at least 1
 * @param context mean number of tokens whose keys and values each sequence has
 */
export function stepMs({ step }: EngineCard, batch: number, context: number): number {
  const timeOf = (row: number) =>
    between(step.contexts, (column) => step.ms[row]?.[column] as number, context);
  return between(step.batches, timeOf, batch);
}

/**
 * Returns the value at a point, linear between the values at the points of an axis and above them. Below the first point
 * it is the value there.
 *
 * @param valueAt returns the value at the point of the axis with this index
 * @param scale of the axis. Default: linear
 */
function between(
  axis: readonly number[],
  valueAt: (index: number) => number,
  point: number,
  scale = (value: number) => value,
): number {
  const at = Math.max(point, axis[0] as number);
  const above = axis.findIndex((each) => each >= at);
  const to = above < 0 ? axis.length - 1 : Math.max(1, above);
  const [low, high] = [scale(axis[to - 1] as number), scale(axis[to] as number)];
  const share = (scale(at) - low) / (high - low);
  return valueAt(to - 1) * (1 - share) + valueAt(to) * share;
}
