import * as pickers from "../config/plugins/pickers.ts";
import { type Picker, pluginType, type Scored } from "../plugin.ts";

type Random = () => number;

const picker = (
  description: typeof pickers.maxScorePicker,
  order: (scored: readonly Scored[], random: Random, count: number) => readonly Scored[],
) =>
  pluginType({
    ...description,
    create: ({ maxNumOfEndpoints: count }): { picker: Picker } => ({
      picker: {
        pick: ({ chance }, scored) =>
          order(scored, chance.random, count)
            .slice(0, count)
            .map(({ endpoint }) => endpoint),
      },
    }),
  });

export const maxScorePicker = picker(pickers.maxScorePicker, (scored, random, count) =>
  count === 1 ? [best(scored, random)] : byScore(shuffle(scored, random)),
);

export const randomPicker = picker(pickers.randomPicker, shuffle);

export const weightedRandomPicker = picker(pickers.weightedRandomPicker, (scored, random) => {
  if (scored.every(({ score }) => score <= 0)) return shuffle(scored, random);
  // A-Res (Efraimidis and Spirakis): the largest u^(1/weight) first. By its logarithm: the power of a small weight
  // would round to 0, as if there were no weight.
  const keyed = scored.map(({ endpoint, score }) => ({
    endpoint,
    score: score > 0 ? Math.log(1 - random()) / score : Number.NEGATIVE_INFINITY,
  }));
  return byScore(keyed);
});

/** One pass: of n equal ones each stays with probability 1/n. */
function best(scored: readonly Scored[], random: Random): Scored {
  let chosen = scored[0] as Scored;
  let equal = 1;
  for (let at = 1; at < scored.length; at += 1) {
    const each = scored[at] as Scored;
    if (each.score > chosen.score) {
      chosen = each;
      equal = 1;
    } else if (each.score === chosen.score) {
      equal += 1;
      if (random() * equal < 1) chosen = each;
    }
  }
  return chosen;
}

const byScore = (scored: readonly Scored[]) => [...scored].sort((a, b) => b.score - a.score);

/** Fisher and Yates. */
function shuffle(scored: readonly Scored[], random: Random): Scored[] {
  const shuffled = [...scored];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as Scored, shuffled[at] as Scored];
  }
  return shuffled;
}
