import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { Engine } from "../../engines/interface/engine.ts";
import { type Arguments, jsonOf, notKnown, type Reading } from "../../engines/options/arguments.ts";
import { engineOfPods } from "../../stack/workloads.ts";
import { eachLeaderWorkerSet, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";
import { canonical } from "./group-rules.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const ranksShareOptions = objectRule(
  { id: "ranks-share-options", guidelines: ["G24"], code: "conflict", level: "advisory" },
  {
    title: "Engines of one group have the same options for the model and its division",
    why: "The ranks run the same collective operations. If only some of them take part, the group hangs, or ends with a configuration mismatch.",
    source: "vllm-project/vllm#26218: Data Parallel configuration mismatch",
    fix: "Set the option to the same value in leaderTemplate and workerTemplate.",
  },
  eachLeaderWorkerSet,
  function* ({ pods: [leader, worker] }) {
    const [first, other] = [leader && engineOfPods(leader), worker && engineOfPods(worker)];
    const name = first && engineNameOf(first.container);
    if (first === undefined || other === undefined || name === undefined) return;
    if (engineNameOf(other.container) !== name) return;
    const engine = engines[name];
    const [of, as] = [argumentsOf(other.container), argumentsOf(first.container)];
    for (const { option, own, leaders } of differences(engine, of, as))
      yield {
        path: [...other.path, argumentsField(other.container)],
        given: `${own === undefined ? `do not set ${option}` : `set ${option} ${own}`}, but the leader ${leaders === undefined ? "does not set it" : `sets ${option} ${leaders}`}`,
        allowed: "the same in all pods of the group",
        fix: "Change one of the two templates.",
      };
  },
);

interface Difference {
  readonly option: string;
  readonly own: string | undefined;
  readonly leaders: string | undefined;
}

function* differences(engine: Engine, of: Arguments, as: Arguments): Iterable<Difference> {
  const model = engine.model(of);
  const other = engine.model(as);
  if (model !== notKnown && other !== notKnown && model !== other)
    yield { option: "the model", own: model, leaders: other };
  const sizes = [...Object.values(engine.modelFactors), engine.copies.data];
  for (const option of [...sizes, ...engine.groupOptions]) {
    if (option === undefined) continue;
    const own = readingOf(of, option);
    const leaders = readingOf(as, option);
    if (own === notKnown || leaders === notKnown) continue;
    const absent = sizes.includes(option) ? "1" : "false";
    if (comparable(own ?? absent) !== comparable(leaders ?? absent)) yield { option, own, leaders };
  }
}

/** Returns an option's value; JSON without the blanks and with the keys that other options set. */
function readingOf(args: Arguments, option: string): Reading {
  const object = args.json(option);
  return object === undefined || object === notKnown ? args.value(option) : JSON.stringify(object);
}

/** Returns the same text for equal values, whatever the order of keys in JSON. */
const comparable = (text: string): string => {
  const value = text.startsWith("{") ? jsonOf(text) : undefined;
  return value === undefined ? text : canonical(value);
};

export const rankOptionRules: readonly StackRule[] = [ranksShareOptions];
