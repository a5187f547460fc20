import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import type { Path } from "../../errors.ts";
import type { Finding, Invariant } from "../../invariant.ts";
import { type PartialSpec, routers } from "../helpers/partial-spec.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";

const rule = {
  id: "memory-limit-covers-requests",
  title: "The memory limit of a program that reads requests is sufficient under attack",
  why: "The heap may take half of the limit, and request bodies are stored outside the heap. With less memory than the attacks of `npm run bench attacks` need, a single client can get the program OOM-killed.",
  source: "docs/security.md, Attacks; docs/benchmarks.md, one picker for many pools",
  code: "conflict",
} as const;

/**
 * Memory in MiB. `program` is for a picker with one pool: the smallest of 256, 320 and 384 at which
 * `npm run bench attacks -- --memory` has no restart. `pool` is for each further pool.
 */
const memory = { program: 320, pool: 0.2 } as const;

const mebibyte = 2n ** 20n * 1_000_000_000n;

/** @param resources resources of the program's container, as written */
function* tooLittle(resources: unknown, pools: number, path: Path): Iterable<Finding> {
  const limits = isMap(resources) ? resources.limits : undefined;
  const given = isMap(limits) ? limits.memory : undefined;
  const limit = parseQuantity(given);
  const least = Math.ceil(memory.program + memory.pool * (pools - 1));
  if (limit === undefined || limit.nanos >= BigInt(least) * mebibyte) return;
  yield {
    path: [...path, "resources", "limits", "memory"],
    given: `is ${String(given)}${pools > 1 ? ` with ports for ${pools} pools` : ""}`,
    allowed: `at least ${least}Mi`,
    fix:
      pools > 1
        ? "Raise the limit, or lower ports.count."
        : "Raise the limit, or remove it for the default of 1Gi.",
  };
}

/**
 * Returns the rule for the program that `field` of a spec describes, or that the spec itself describes if `field` is
 * not given.
 */
const programHasMemory = (field?: string): Invariant<RawSpec> => ({
  ...rule,
  *check({ spec }) {
    const program = field === undefined ? spec : spec[field];
    if (isMap(program)) yield* tooLittle(program.resources, 1, field === undefined ? [] : [field]);
  },
});

export const poolPickerHasMemory = programHasMemory("endpointPicker");
export const importPickerHasMemory = programHasMemory("picker");
export const modelRouterHasMemory = programHasMemory();

export const sharedPickerHasMemory: Invariant<RawSpec> = {
  ...rule,
  check({ spec: { resources, ports } }) {
    const count = isMap(ports) && typeof ports.count === "number" ? ports.count : 1;
    return tooLittle(resources, count, []);
  },
};

export const routerHasMemory: Invariant<PartialSpec> = {
  ...rule,
  *check(spec) {
    for (const { index, role } of routers(spec))
      yield* tooLittle(role.resources, 1, ["roles", index]);
  },
};
