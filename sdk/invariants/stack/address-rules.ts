import { scriptSets } from "../../command-line/environment.ts";
import { engineNameOf, engines } from "../../engines/index.ts";
import { containersOf, engineOfPods } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Addresses that mean any interface, or the pod itself. */
const ofNoPod = /^(0\.0\.0\.0|127(\.\d+){3}|localhost|\[?::1?\]?)$/i;
const fixedAddress = /^(\d+(\.\d+){3}|\[?[\da-f]*:[\da-f:]+\]?)$/i;

const addressesAreReachable = objectRule(
  {
    id: "advertised-addresses-are-reachable",
    guidelines: [],
    code: "reference",
    level: "advisory",
  },
  {
    title: "An engine advertises the address of its own pod",
    why: "The engine sends this address to other pods, which connect to it. With 0.0.0.0 or localhost they reach themselves and fail at the first request.",
    source:
      "volcano-sh/kthena#503; vLLM NixlConnector: VLLM_NIXL_SIDE_CHANNEL_HOST is the remote_host of decoders",
    fix: "Set the variable from status.podIP with valueFrom.fieldRef.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = engineOfPods(pods);
    const name = engine && engineNameOf(engine.container);
    if (engine === undefined || name === undefined) return;
    // Engines of one pod reach one another at localhost.
    const others = containersOf(pods).filter(({ container }) => engineNameOf(container));
    if (others.length > 1) return;
    const { always, inGroups } = engines[name].advertisedHosts;
    const variables = pods.workload.size > 1 ? [...always, ...inGroups] : always;
    for (const [at, { name: variable, value }] of (engine.container.env ?? []).entries()) {
      if (value === undefined || !variables.includes(variable)) continue;
      if (scriptSets(engine.container, variable)) continue;
      if (!ofNoPod.test(value) && !fixedAddress.test(value)) continue;
      yield {
        path: [...engine.path, "env", at, "value"],
        given: `is ${value} for ${variable}, which other pods connect to`,
        allowed: "the address of the pod, from status.podIP",
        fix: "Replace value by valueFrom: {fieldRef: {fieldPath: status.podIP}}.",
      };
    }
  },
);

export const addressRules: readonly StackRule[] = [addressesAreReachable];
