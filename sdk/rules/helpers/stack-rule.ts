import { z } from "zod";
import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import type { Gang } from "../../stack/gangs.ts";
import { type Pool, poolsOf } from "../../stack/pools.ts";
import type { Stack } from "../../stack/stack.ts";
import { attempt } from "../../stack/unknown-value.ts";
import { lwsKind, type PodTemplateUse, type Workload } from "../../stack/workloads.ts";
import type { PackName } from "./packs.ts";

/** A mandatory rule fails a preview. An advisory rule only causes a warning. */
export type Level = "mandatory" | "advisory" | "disabled";

/** A rule on the objects of a stack, which may have any author. */
export interface StackRule extends Invariant<Stack> {
  /** Policy pack that contains the rule. */
  readonly pack: PackName;
  /** Level unless a configuration changes it. */
  readonly level: Level;
  /** Whether the rule checks each object separately, or needs all objects of the stack. */
  readonly scope: "object" | "stack";
  /** Ids of the guidelines in guidelines.ts that the rule upholds. */
  readonly guidelines: readonly string[];
  /** Instruction that fixes a violation. */
  readonly fix: string;
  /** Schema of the rule's parameters, with defaults. */
  readonly parameters: z.ZodObject;
  /** @param given parameters; those not given have their defaults */
  judge(stack: Stack, given?: object): Verdict;
  /** Returns edits that fix findings without a decision of the author. Absent if there are none. */
  readonly remediate?: (stack: Stack, given?: object) => readonly Edit[];
}

/**
 * A new value at a path. Missing maps and lists on the path are created. The index after the last item appends to a
 * list.
 */
export interface Edit {
  readonly path: Path;
  readonly value: unknown;
}

/** Result of a rule on a stack. A value that is not yet known is neither a pass nor a failure. */
export interface Verdict {
  readonly findings: readonly Finding[];
  /** Paths of values that are not yet known and that the rule needed. */
  readonly unknown: readonly Path[];
}

/** One violation. Default of its fix: the fix of the rule. */
type RuleFinding = Omit<Finding, "fix"> & Partial<Pick<Finding, "fix">>;

/** Identity of a rule. */
interface RuleIdentity extends Pick<StackRule, "id" | "code"> {
  /** Default: mandatory. */
  readonly level?: Level;
  /** Default: none. */
  readonly guidelines?: readonly string[];
}

/** Texts and parameters of a rule. */
interface RuleText<Parameters extends z.ZodObject>
  extends Pick<StackRule, "title" | "why" | "source" | "fix"> {
  /** Default: none. */
  readonly parameters?: Parameters;
}

/**
 * Subjects of a rule. Each is checked separately, so that an unknown value in one does not hide findings in the others.
 */
export interface Subjects<Subject> {
  readonly of: (stack: Stack) => readonly Subject[];
  /** Whether an object that could not be read may be a subject. */
  readonly needsPods: boolean;
}

/**
 * Pod templates of the kinds whose replicas and devices are known, such as Deployments and LeaderWorkerSets. Rules of the
 * API server for any pod use `everyPodTemplate`.
 */
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

export const eachLeaderWorkerSet: Subjects<Workload & { set: NonNullable<Workload["set"]> }> = {
  of: ({ workloads }) =>
    workloads.filter(
      (workload): workload is Workload & { set: NonNullable<Workload["set"]> } =>
        workload.object.kind === lwsKind,
    ),
  needsPods: true,
};

export const eachGang: Subjects<Gang> = { of: ({ gangs }) => gangs, needsPods: false };

export const eachPool: Subjects<Pool> = { of: poolsOf, needsPods: false };

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

/**
 * Returns the two functions that define a rule of a pack: one for rules on single objects, one for rules on all objects
 * of a stack.
 */
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
    find: (subject: Subject, context: Context<Parameters>) => Iterable<RuleFinding>,
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
        // Findings made before an unknown value was read still count.
        const read = attempt(() => {
          for (const { fix = text.fix, ...finding } of find(subject, context))
            findings.push({ ...finding, fix });
        });
        if ("unknown" in read) unknown.push(read.unknown);
      }
      return { findings: distinct(findings), unknown };
    };
    return {
      level: "mandatory",
      guidelines: [],
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
            // Subjects with unknown values are not edited.
            return "value" in edits ? edits.value : [];
          });
        },
      }),
    };
  };
