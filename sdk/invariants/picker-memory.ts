import { parseQuantity } from "../../kubernetes/values/quantity.ts";
import type { Path } from "../errors.ts";
import type { Finding, Invariant } from "../invariant.ts";
import type { InferenceServiceSpec } from "../spec/inference-service.ts";
import type { EndpointPicker } from "../spec/llm-server-pool.ts";
import type { ProgramPods } from "../spec/program-pods.ts";
import { isRouter } from "../spec/role.ts";
import type { SharedEndpointPickerSpec } from "../spec/shared-endpoint-picker.ts";

const rule = {
  id: "picker-has-room",
  title: "The memory limit of an endpoint picker has room for its pools",
  why: "Its heap may take half of the limit. With less than its pools need it collects garbage without end, or is killed.",
  source: "docs/benchmarks.md, one picker for many pools",
  code: "conflict",
} as const;

/** Mebibytes of a picker of one pool with a hundred pods, which takes 150, and what each further pool may add. */
const room = { picker: 192, pool: 0.2 } as const;

const mebibyte = 2n ** 20n * 1_000_000_000n;

function* tooLittle(
  resources: ProgramPods["resources"],
  pools: number,
  path: Path,
): Iterable<Finding> {
  const given = (resources?.limits as Record<string, unknown> | undefined)?.memory;
  const limit = parseQuantity(given);
  const least = Math.ceil(room.picker + room.pool * (pools - 1));
  if (limit === undefined || limit.nanos >= BigInt(least) * mebibyte) return;
  yield {
    path: [...path, "resources", "limits", "memory"],
    given: `is ${String(given)}${pools > 1 ? `, and there are ports for ${pools} pools` : ""}`,
    allowed: `at least ${least}Mi`,
    fix: pools > 1 ? "Raise it, or have fewer ports." : "Raise it, or leave it out: 1Gi.",
  };
}

export const sharedPickerHasRoom: Invariant<SharedEndpointPickerSpec> = {
  ...rule,
  check: ({ resources, ports }) => tooLittle(resources, ports.count, []),
};

export const poolPickerHasRoom: Invariant<EndpointPicker> = {
  ...rule,
  check: ({ resources }) => tooLittle(resources, 1, ["endpointPicker"]),
};

export const routerHasRoom: Invariant<InferenceServiceSpec> = {
  ...rule,
  *check({ roles }) {
    for (const [at, role] of roles.entries())
      if (isRouter(role)) yield* tooLittle(role.resources, 1, ["roles", at]);
  },
};
