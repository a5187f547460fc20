import { z } from "zod";
import { type Picker, pluginType } from "../../profiles/plugin.ts";
import type { Scored } from "../../profiles/profile-result.ts";

export type Random = () => number;

/** Creates a picker that takes the first endpoints of an order. */
export const picker = (
  type: string,
  summary: string,
  order: (scored: readonly Scored[], random: Random, count: number) => readonly Scored[],
) =>
  pluginType({
    type,
    kinds: ["picker"],
    summary,
    parameters: z.strictObject({
      maxNumOfEndpoints: z
        .number()
        .int()
        .min(1)
        .default(1)
        .describe(
          "Number of endpoints to select; more than one is for proxies that retry on the next endpoint.",
        ),
    }),
    create: ({ maxNumOfEndpoints: count }): { picker: Picker } => ({
      picker: {
        pick: ({ chance }, scored) =>
          order(scored, chance.random, count)
            .slice(0, count)
            .map(({ endpoint }) => endpoint),
      },
    }),
  });

/** Sorts by score, best first. */
export const byScore = (scored: readonly Scored[]) => [...scored].sort((a, b) => b.score - a.score);

/** Returns a random order (Fisher and Yates). */
export function shuffle(scored: readonly Scored[], random: Random): Scored[] {
  const shuffled = [...scored];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as Scored, shuffled[at] as Scored];
  }
  return shuffled;
}
