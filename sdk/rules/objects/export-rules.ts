import { poolsOf } from "../../stack/pools.ts";
import type { ServiceShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";
import { closedExport } from "../spec/exports.ts";

const { stackRule } = rulesOfPack("inference-multi-cluster");

/** The rule on specs, applied to objects of any author. */
export const exportsAreClosed: StackRule = stackRule(
  { ...closedExport, code: "reference" },
  {
    ...closedExport,
    fix: "Set loadBalancerSourceRanges to the networks of the importing clusters, or start the picker with --client-ca-file.",
  },
  wholeStack,
  function* (stack) {
    for (const service of specsOf<ServiceShape>(stack, "/Service")) {
      const { type, loadBalancerSourceRanges = [] } = service.spec;
      if (type !== "LoadBalancer" || loadBalancerSourceRanges.length > 0) continue;
      if (!isPicker(stack, service) || asksForCertificates(stack, service)) continue;
      yield {
        path: [...service.path, "type"],
        given: "is LoadBalancer",
        allowed:
          "LoadBalancer with loadBalancerSourceRanges, or with a picker that requires client certificates",
        fix: "Set loadBalancerSourceRanges, or the picker's --client-ca-file.",
      };
    }
  },
);

const isPicker = (stack: Stack, { name, namespace }: TypedObject<ServiceShape>): boolean =>
  poolsOf(stack).some(
    (pool) => pool.namespace === namespace && pool.spec.endpointPickerRef?.name === name,
  );

function asksForCertificates(
  stack: Stack,
  { namespace, spec }: TypedObject<ServiceShape>,
): boolean {
  const selector = Object.entries(spec.selector ?? {});
  return stack
    .everyWorkload()
    .flatMap(({ pods }) => pods)
    .filter(({ workload }) => workload.namespace === namespace)
    .filter(({ labels }) => selector.every(([key, value]) => labels[key] === value))
    .some(({ spec: { containers } }) =>
      containers.some(({ args = [] }) => args.some((arg) => arg.startsWith("--client-ca-file"))),
    );
}
