import { groups } from "../../../kubernetes/kinds/groups.ts";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import type { Path } from "../../errors.ts";
import type { FindingText } from "../../invariant.ts";
import type { StackObject } from "../../stack/stack-object.ts";
import { attempt, UnknownValueError } from "../../stack/unknown-value.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const eachObject: Subjects<StackObject> = { of: ({ objects }) => objects, needsPods: false };

/** Fields that contain quantities, in objects of any kind, by the end of their path. */
const places: readonly RegExp[] = [
  / resources (limits|requests) [^ ]+$/,
  / emptyDir sizeLimit$/,
  / resourceFieldRef divisor$/,
  / spec overhead [^ ]+$/,
  / (nominalQuota|borrowingLimit|lendingLimit)$/,
  / (minAllowed|maxAllowed) [^ ]+$/,
];

/** Further fields of some kinds. */
const placesOfKind: Readonly<Record<string, RegExp>> = {
  "/ResourceQuota": /^spec hard [^ ]+$/,
  "/LimitRange": /^spec limits \d+ (max|min|default|defaultRequest) [^ ]+$/,
  "/PersistentVolume": /^spec capacity [^ ]+$/,
  [`${groups.autoscaling}/HorizontalPodAutoscaler`]:
    /^spec metrics \d+ \w+ target (value|averageValue)$/,
  [`${groups.karpenter}/NodePool`]: /^spec limits [^ ]+$/,
  [`${groups.volcano}/PodGroup`]: /^spec minResources [^ ]+$/,
  [`${groups.volcano}/Queue`]: /^spec (capability|deserved|guarantee resource) [^ ]+$/,
};

const quantitiesAreValid = objectRule(
  { id: "quantities-are-valid", code: "shape" },
  {
    title: "Quantities have a number and a suffix of Kubernetes",
    why: "The API server rejects an object with any other quantity, and rules cannot compare it.",
    source:
      "k8s.io/apimachinery/pkg/api/resource: suffixes n u m k M G T P E and Ki Mi Gi Ti Pi Ei",
    fix: "Write the quantity as a number with a suffix such as G (10^9) or Gi (2^30).",
  },
  eachObject,
  function* ({ index, kind, manifest }) {
    const unknown: Path[] = [];
    for (const { path, value } of scalarsOf(manifest, [], unknown)) {
      const text = ` ${path.join(" ")}`;
      const isPlace =
        places.some((place) => place.test(text)) ||
        placesOfKind[kind]?.test(text.slice(1)) === true;
      const problem = isPlace ? invalidQuantity(value) : undefined;
      if (problem !== undefined) yield { path: [index, ...path], ...problem };
    }
    const [first] = unknown;
    if (first !== undefined) throw new UnknownValueError(first);
  },
);

/** Yields the texts and numbers of an object, with their paths. Notes the paths of unknown quantities. */
function* scalarsOf(
  value: unknown,
  path: readonly (string | number)[],
  unknown: Path[],
): Iterable<{ path: readonly (string | number)[]; value: string | number }> {
  if (typeof value === "string" || typeof value === "number") yield { path, value };
  if (!Array.isArray(value) && !isMap(value)) return;
  for (const key of Object.keys(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    const read = attempt(() => (value as Record<string, unknown>)[key]);
    if ("unknown" in read) {
      if (places.some((place) => place.test(` ${[...path, step].join(" ")}`)))
        unknown.push(read.unknown);
    } else yield* scalarsOf(read.value, [...path, step], unknown);
  }
}

function invalidQuantity(value: string | number): FindingText | undefined {
  const quantity = /\s/.test(String(value)) ? undefined : parseQuantity(value);
  if (quantity !== undefined && quantity.nanos >= 0n) return undefined;
  const [, number, letter] = /^\s*(\d+(?:\.\d+)?)\s*([kmgtpe])i?b?\s*$/i.exec(String(value)) ?? [];
  const suffix = letter?.toUpperCase();
  return {
    given: `is ${JSON.stringify(value)}`,
    allowed: "a number of at least 0, with a suffix such as m, k, M, G, Ki, Mi or Gi",
    fix:
      suffix === undefined
        ? "Correct the quantity; the API server would reject the object."
        : `Write ${number}${suffix === "K" ? "k" : suffix} (powers of 1000) or ${number}${suffix}i (powers of 1024); the API server would reject the object.`,
  };
}

export const quantityRules: readonly StackRule[] = [quantitiesAreValid];
