import { z } from "zod";
import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import type { Gang } from "../../stack/gangs.ts";
import type { Stack } from "../../stack/stack.ts";
import { attempt } from "../../stack/unknown-value.ts";
import { lwsKind, type PodTemplateUse, type Workload } from "../../stack/workloads.ts";
import type { PackName } from "./packs.ts";

/** A mandatory rule fails a preview, an advisory one is only told. */
export type Level = "mandatory" | "advisory" | "disabled";

/** A rule on the objects of a stack, whoever wrote them. */
export interface StackRule extends Invariant<Stack> {
  /** The policy pack that enforces it. */
  readonly pack: PackName;
  /** How it is enforced unless a configuration says otherwise. */
  readonly level: Level;
  /** What must be seen to judge: one object by itself, or all of them. */
  readonly scope: "object" | "stack";
  /** Ids of the guidelines that it upholds; guidelines.ts has the list. */
  readonly guidelines: readonly string[];
  /** How to fix what breaks it. */
  readonly fix: string;
  /** What a configuration may set, with defaults. */
  readonly parameters: z.ZodObject;
  /** @param given parameters; defaults stand for those left out */
  judge(stack: Stack, given?: object): Verdict;
  /** Fixes what can be fixed without asking; absent where nothing can. */
  readonly remediate?: (stack: Stack, given?: object) => readonly Edit[];
}

/** A value at a place: maps on the way are made where there are none, and the end of a list is its length. */
export interface Edit {
  readonly path: Path;
  readonly value: unknown;
}

/** What a rule says of a stack. What it could not judge is neither a pass nor a failure. */
export interface Verdict {
  readonly findings: readonly Finding[];
  /** The values that a judgement would have needed. */
  readonly unknown: readonly Path[];
}

/** What a rule is among the others. */
interface RuleIdentity extends Pick<StackRule, "id" | "guidelines" | "code"> {
  /** Default mandatory. */
  readonly level?: Level;
}

/** What a rule says. */
interface RuleText<Parameters extends z.ZodObject>
  extends Pick<StackRule, "title" | "why" | "source" | "fix"> {
  /** Default none. */
  readonly parameters?: Parameters;
}

/** What a rule is about: each is judged by itself, so that one unknown value hides nothing else. */
export interface Subjects<Subject> {
  readonly of: (stack: Stack) => readonly Subject[];
  /** Whether an object that could not be understood might have been one of them. */
  readonly needsPods: boolean;
}

export const eachPodTemplate: Subjects<PodTemplateUse> = {
  of: ({ workloads }) => workloads.flatMap(({ pods }) => pods),
  needsPods: true,
};

/** Pod templates of all kinds, for rules that need no knowledge of the kind. */
export const everyPodTemplate: Subjects<PodTemplateUse> = {
  of: ({ workloads, otherPods }) => [...workloads.flatMap(({ pods }) => pods), ...otherPods],
  needsPods: true,
};

export const eachWorkload: Subjects<Workload> = {
  of: ({ workloads }) => workloads,
  needsPods: true,
};

/** LeaderWorkerSets. */
export const eachLeaderWorkerSet: Subjects<Workload & { set: NonNullable<Workload["set"]> }> = {
  of: ({ workloads }) =>
    workloads.filter(
      (workload): workload is Workload & { set: NonNullable<Workload["set"]> } =>
        workload.object.kind === lwsKind,
    ),
  needsPods: true,
};

export const eachGang: Subjects<Gang> = { of: ({ gangs }) => gangs, needsPods: false };

export const wholeStack: Subjects<Stack> = { of: (stack) => [stack], needsPods: false };

/** Removes repeated findings. A fault that leader and workers of one object share is reported once. */
function distinct(findings: readonly Finding[]): Finding[] {
  const byText = new Map<string, Finding>();
  for (const finding of findings) {
    const steps = finding.path.map((step) => (isGroupTemplate(step) ? "template" : step));
    const key = JSON.stringify({ ...finding, path: steps });
    const first = byText.get(key);
    const other = finding.path.find(isGroupTemplate);
    if (first === undefined) byText.set(key, finding);
    else if (other !== undefined && other !== first.path.find(isGroupTemplate))
      byText.set(key, { ...first, fix: `${first.fix} Do the same in ${other}.` });
  }
  return [...byText.values()];
}

const isGroupTemplate = (step: string | number): boolean =>
  step === "leaderTemplate" || step === "workerTemplate";

interface Context<Parameters extends z.ZodObject> {
  readonly stack: Stack;
  readonly parameters: z.output<Parameters>;
}

/** The two ways to define a rule of a pack: of one object by itself, or of all objects of a stack. */
export const rulesOfPack = (pack: PackName) => ({
  objectRule: definition(pack, "object"),
  stackRule: definition(pack, "stack"),
});

const definition =
  (pack: PackName, scope: StackRule["scope"]) =>
  <Subject, Parameters extends z.ZodObject = z.ZodObject<Record<never, never>>>(
    identity: RuleIdentity,
    text: RuleText<Parameters>,
    subjects: Subjects<Subject>,
    find: (subject: Subject, context: Context<Parameters>) => Iterable<Finding>,
    edit?: (subject: Subject, context: Context<Parameters>) => Iterable<Edit>,
  ): StackRule => {
    const parameters = text.parameters ?? z.object({});
    const contextOf = (stack: Stack, given: object): Context<Parameters> => ({
      stack,
      parameters: parameters.parse(given) as z.output<Parameters>,
    });
    const judge = (stack: Stack, given: object = {}): Verdict => {
      const context = contextOf(stack, given);
      const findings: Finding[] = [];
      const unknown: Path[] = subjects.needsPods ? [...stack.undetermined] : [];
      for (const subject of subjects.of(stack)) {
        // What was found before something unknown was met counts all the same.
        const read = attempt(() => {
          for (const finding of find(subject, context)) findings.push(finding);
        });
        if ("unknown" in read) unknown.push(read.unknown);
      }
      return { findings: distinct(findings), unknown };
    };
    return {
      level: "mandatory",
      ...identity,
      ...text,
      pack,
      scope,
      parameters,
      judge,
      check: (stack) => judge(stack).findings,
      ...(edit && {
        remediate: (stack: Stack, given: object = {}) => {
          const context = contextOf(stack, given);
          return subjects.of(stack).flatMap((subject) => {
            const edits = attempt(() => [...edit(subject, context)]);
            // What is not known yet is left alone.
            return "value" in edits ? edits.value : [];
          });
        },
      }),
    };
  };
