import { groups } from "../../../kubernetes/kinds/groups.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import type { Finding } from "../../invariant.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

/** Rules on schedules of KEDA's cron triggers. */

const { objectRule } = rulesOfPack("inference-gang");

interface Scaled {
  readonly maxReplicaCount?: unknown;
  readonly triggers?: unknown;
}

const eachScaledObject: Subjects<TypedObject<Scaled>> = {
  of: (stack) => specsOf<Scaled>(stack, groupKind({ group: groups.keda, kind: "ScaledObject" })),
  needsPods: false,
};

const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const days = "SUN MON TUE WED THU FRI SAT".split(" ");

/** Fields of a schedule, with the names of values from the first value on. */
const fields = [
  { title: "minute", first: 0, last: 59, names: [] },
  { title: "hour", first: 0, last: 23, names: [] },
  { title: "day of the month", first: 1, last: 31, names: [] },
  { title: "month", first: 1, last: 12, names: months },
  { title: "day of the week", first: 0, last: 6, names: days },
] as const satisfies readonly Field[];

interface Field {
  readonly title: string;
  readonly first: number;
  readonly last: number;
  readonly names: readonly string[];
}

/** Returns the fault of a schedule with five fields; undefined if KEDA's parser accepts it. */
export function scheduleFault(text: string): string | undefined {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(text)) return undefined;
  const written = text.trim().split(/\s+/);
  if (written.length !== fields.length)
    return `has ${written.length} fields instead of minute, hour, day of the month, month and day of the week`;
  const at = fields.findIndex((field, index) => !isField(written[index] as string, field));
  const wrong = fields[at];
  return (
    wrong &&
    `has the ${wrong.title} ${written[at]}, which is not in ${wrong.first} to ${wrong.last}`
  );
}

const isField = (text: string, field: Field): boolean =>
  text.split(",").every((part) => {
    const [range = "", step, ...more] = part.split("/");
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) return false;
    if (range === "*" || range === "?") return true;
    const ends = range.split("-").map((end) => numberOf(end, field));
    const [first, last = first] = ends;
    return ends.length <= 2 && first !== undefined && last !== undefined && first <= last;
  });

function numberOf(text: string, { first, last, names }: Field): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  const value = named >= 0 ? named + first : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= first && value <= last ? value : undefined;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const schedulesAreValid = objectRule(
  { id: "schedules-are-valid", code: "reference", level: "advisory" },
  {
    title: "A cron trigger has a schedule, a time zone and a number of replicas that KEDA accepts",
    why: "The API server accepts any text. KEDA then rejects the trigger and scales nothing, or limits its replicas to the maximum.",
    source: "KEDA, cron scaler: timezone, start, end, desiredReplicas",
    fix: "Correct the schedule.",
  },
  eachScaledObject,
  function* ({ spec, path }) {
    if (!Array.isArray(spec.triggers)) return;
    for (const [index, trigger] of spec.triggers.entries()) {
      if (!isMap(trigger) || trigger.type !== "cron") continue;
      const at = [...path, "triggers", index, "metadata"];
      yield* triggerFaults(isMap(trigger.metadata) ? trigger.metadata : {}, at, spec);
    }
  },
);

function* triggerFaults(
  metadata: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
  { maxReplicaCount = 100 }: Scaled,
): Iterable<Finding> {
  const { timezone, start, end, desiredReplicas } = metadata;
  if (typeof timezone !== "string" || !isTimeZone(timezone))
    yield {
      path: [...path, "timezone"],
      given: `is ${JSON.stringify(timezone) ?? "missing"}`,
      allowed: "a name of the IANA time zone database, such as Europe/Berlin",
      fix: "Correct the name.",
    };
  for (const [field, text] of [
    ["start", start],
    ["end", end],
  ] as const) {
    const fault = typeof text === "string" ? scheduleFault(text) : "is missing";
    if (fault !== undefined)
      yield {
        path: [...path, field],
        given: fault,
        allowed: "a cron schedule with five fields, such as 0 8 * * 1-5",
        fix: "Correct the schedule.",
      };
  }
  if (start !== undefined && start === end)
    yield {
      path: [...path, "end"],
      given: "equals start",
      allowed: "another time than start",
      fix: "Set end to the time at which the replicas are no longer needed.",
    };
  const wanted = Number(desiredReplicas);
  if (!/^\d+$/.test(String(desiredReplicas)))
    yield {
      path: [...path, "desiredReplicas"],
      given: `is ${JSON.stringify(desiredReplicas) ?? "missing"}`,
      allowed: "a whole number",
      fix: "Set the number of replicas between start and end.",
    };
  else if (typeof maxReplicaCount === "number" && wanted > maxReplicaCount)
    yield {
      path: [...path, "desiredReplicas"],
      given: `is ${wanted}, more than maxReplicaCount, which is ${maxReplicaCount}`,
      allowed: `at most ${maxReplicaCount}`,
      fix: "Raise maxReplicaCount (autoscaling.maxUnits), or lower desiredReplicas.",
    };
}

export const scheduleRules: readonly StackRule[] = [schedulesAreValid];
