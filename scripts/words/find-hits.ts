import type { Sentence } from "./sentences.ts";
import { withoutCode } from "./sentences.ts";
import { type StrictRule, strictRules } from "./strict.ts";

/** A sentence that matches the pattern of a rule. */
export interface Hit extends Sentence {
  readonly rule: StrictRule;
}

/** Returns every hit of every rule. */
export const hitsIn = (sentences: readonly Sentence[]): Hit[] =>
  sentences.flatMap((sentence) => {
    const words = withoutCode(sentence.text);
    return strictRules
      .filter(({ pattern }) => pattern.test(words))
      .map((rule) => ({ ...sentence, rule }));
  });
