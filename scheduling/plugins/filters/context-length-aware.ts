import { z } from "zod";
import type { Endpoint } from "../../endpoints/endpoint.ts";
import { contextLengthLabel } from "../../label-keys.ts";
import { pluginType } from "../../profiles/plugin.ts";

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Parses a range such as `0-4096`. Returns undefined for anything else. */
function parseRange(text: string): Range | undefined {
  const [, min, max] = /^\s*(\d+)\s*-\s*(\d+)\s*$/.exec(text) ?? [];
  if (min === undefined || max === undefined) return undefined;
  return Number(min) > Number(max) ? undefined : { min: Number(min), max: Number(max) };
}

const isWithin = (tokens: number, { min, max }: Range) => tokens >= min && tokens <= max;

/**
 * Highest score of a range that does not contain the prompt. It is below every score of a range that contains the
 * prompt.
 */
const bestOutside = 0.3;

/**
 * Scores a range. Among ranges that contain the prompt, a narrower range scores higher, and so does a range whose end
 * is farther away. Among other ranges, a nearer range scores higher.
 */
function rangeScore(tokens: number, range: Range): number {
  const { min, max } = range;
  const width = max - min;
  if (!isWithin(tokens, range)) {
    const distance = tokens > max ? tokens - max : min - tokens;
    return bestOutside / (1 + distance / 1000);
  }
  if (width === 0) return 1;
  const fit = 0.7 / (1 + width / 10_000) + (0.3 * (max - tokens)) / width;
  return bestOutside + (1 - bestOutside) * fit;
}

export const contextLengthAware = pluginType({
  type: "context-length-aware",
  kinds: ["filter", "scorer"],
  summary:
    "Prefers pods whose label has a range that contains the prompt's estimated tokens; can also filter.",
  parameters: z.strictObject({
    label: z.string().min(1).default(contextLengthLabel),
    enableFiltering: z
      .boolean()
      .default(false)
      .describe(
        "Removes pods whose range does not contain the prompt; pods without the label stay.",
      ),
  }),
  create({ label, enableFiltering }) {
    const fits = ({ labels }: Endpoint, tokens: number) => {
      const text = labels[label];
      if (text === undefined) return true;
      const range = parseRange(text);
      return range !== undefined && isWithin(tokens, range);
    };
    const score = ({ labels }: Endpoint, tokens: number) => {
      const text = labels[label];
      if (text === undefined) return 0.5;
      const range = parseRange(text);
      return range === undefined ? 0 : rangeScore(tokens, range);
    };
    return {
      filter: {
        filter({ promptTokens }, endpoints) {
          if (!enableFiltering) return endpoints;
          return endpoints.filter((endpoint) => fits(endpoint, promptTokens));
        },
      },
      scorer: {
        score: ({ promptTokens }, endpoints) =>
          endpoints.map((endpoint) => score(endpoint, promptTokens)),
      },
    };
  },
});
