import type { Sentence } from "./sentences.ts";
import { withoutCode } from "./sentences.ts";
import { type StrictRule, strictRules } from "./strict.ts";

/** A sentence that matches the pattern of a rule. */
export interface Hit extends Sentence {
  readonly rule: StrictRule;
}

/** Number of hits by area and rule. */
export type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Returns every hit of every rule. */
export const hitsIn = (sentences: readonly Sentence[]): Hit[] =>
  sentences.flatMap((sentence) => {
    const words = withoutCode(sentence.text);
    return strictRules
      .filter(({ pattern }) => pattern.test(words))
      .map((rule) => ({ ...sentence, rule }));
  });

export function countsOf(hits: readonly Hit[]): Counts {
  const counts = new Map<string, Map<string, number>>();
  for (const { area, rule } of hits) {
    const ofArea = counts.get(area) ?? new Map<string, number>();
    counts.set(area, ofArea.set(rule.name, (ofArea.get(rule.name) ?? 0) + 1));
  }
  return counts;
}

/** Returns the hits of rules whose count in an area is above the allowed one. */
export const hitsAbove = (hits: readonly Hit[], allowed: Counts): Hit[] => {
  const counts = countsOf(hits);
  const isAbove = ({ area, rule }: Hit) =>
    (counts.get(area)?.get(rule.name) ?? 0) > (allowed.get(area)?.get(rule.name) ?? 0);
  return hits.filter(isAbove);
};

/** Returns the allowed counts, lowered to the present ones. */
export const lowered = (allowed: Counts, present: Counts): Counts =>
  new Map(
    Array.from(allowed, ([area, rules]) => [
      area,
      new Map(
        Array.from(rules, ([rule, count]) => [
          rule,
          Math.min(count, present.get(area)?.get(rule) ?? 0),
        ]),
      ),
    ]),
  );

/** Returns a line per area: `area: rule 3, rule 5`, sorted, without zeros. */
export const countsText = (counts: Counts): string =>
  Array.from(counts, ([area, rules]) => {
    const above = [...rules].filter(([, count]) => count > 0).sort(byName);
    return [area, above.map(([rule, count]) => `${rule} ${count}`).join(", ")] as const;
  })
    .filter(([, rules]) => rules !== "")
    .sort(byName)
    .map(([area, rules]) => `${area}: ${rules}\n`)
    .join("");

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1;

/** @throws Error for a line in another format, such as the marker of a merge conflict */
export const countsFrom = (text: string): Counts =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => {
        if (!/^[\w/]+: [\w-]+ \d+(, [\w-]+ \d+)*$/.test(line))
          throw new Error(
            `scripts/words/allowed.txt: invalid line "${line}"; expected "area: rule 3, rule 5". After a merge keep either side and run \`npm run generate\`.`,
          );
        const [area = "", rules = ""] = line.split(": ");
        return [
          area,
          new Map(
            rules.split(", ").map((entry): [string, number] => {
              const [rule = "", count] = entry.split(" ");
              return [rule, Number(count)];
            }),
          ),
        ];
      }),
  );

/** Returns a line per area: sentences, sentences with a hit, and their share. */
export function shares(sentences: readonly Sentence[], hits: readonly Hit[]): string[] {
  const lines = (each: Sentence) => `${each.path}:${each.line} ${each.text}`;
  const hit = new Set(hits.map(lines));
  const areas = [...new Set(sentences.map(({ area }) => area))].sort();
  return [...areas, "all"].map((area) => {
    const here = sentences.filter((each) => area === "all" || each.area === area);
    const found = here.filter((each) => hit.has(lines(each))).length;
    const share = `${((100 * found) / here.length).toFixed(1)} %`;
    return `${area.padEnd(24)} ${`${here.length}`.padStart(6)} ${`${found}`.padStart(6)} ${share.padStart(7)}`;
  });
}
