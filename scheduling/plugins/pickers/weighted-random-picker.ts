import { byScore, picker, shuffle } from "./picker.ts";

export const weightedRandomPicker = picker(
  "weighted-random-picker",
  "Selects at random, in proportion to the scores; uniformly if all scores are 0.",
  (scored, random) => {
    if (scored.every(({ score }) => score <= 0)) return shuffle(scored, random);
    // A-Res (Efraimidis and Spirakis): the largest u^(1/weight) first. It compares logarithms, because the power for a
    // small weight would be rounded to 0.
    const keyed = scored.map(({ endpoint, score }) => ({
      endpoint,
      score: score > 0 ? Math.log(1 - random()) / score : Number.NEGATIVE_INFINITY,
    }));
    return byScore(keyed);
  },
);
