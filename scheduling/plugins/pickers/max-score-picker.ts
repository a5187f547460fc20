import type { Scored } from "../../profiles/profile-result.ts";
import { byScore, picker, type Random, shuffle } from "./picker.ts";

export const maxScorePicker = picker(
  "max-score-picker",
  "Selects the endpoint with the best score, at random among equal ones.",
  (scored, random, count) =>
    count === 1 ? [best(scored, random)] : byScore(shuffle(scored, random)),
);

/** Selects in one pass: each of n equal endpoints is selected with probability 1/n. */
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
