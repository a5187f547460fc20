import { argumentsField } from "../engines/command-line.ts";
import type { Invariant } from "../invariant.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
  routerOf,
} from "../spec/inference-service.ts";
import { nodeCountOf } from "../spec/role.ts";
import type { ContainerShape } from "../stack/shapes.ts";
import { hasDecodeSidecar } from "../topology/decode-sidecar.ts";
import { acceleratorsIn, engineIndexOf, engineOf } from "../topology/engine-container.ts";
import { engineNameOfRole } from "../topology/executor.ts";
import { podResources } from "../topology/pod-resources.ts";
import { routerGatewayWaits } from "./gateway-waits.ts";
import { connectorOf, isPairSide, removedConnectors } from "./kv-transfer.ts";
import { modelDividesEvenly } from "./model-division.ts";
import { routerConfigHasItsEffect } from "./picker-config.ts";
import { routerHasRoom } from "./picker-memory.ts";
import { parallelismFits, unfitParallelism } from "./stack/parallelism.ts";

/** What a service may be, and its author is warned of at preview. */

type Advice = Invariant<InferenceServiceSpec>;

/** Prefillers and decoders of a service that has both, with their places. */
const pairOf = (spec: InferenceServiceSpec) =>
  isDisaggregated(spec.roles)
    ? inferenceRolesOf(spec)
        .filter(({ componentType }) => isPairSide(componentType))
        .map((role) => ({ role, path: ["roles", spec.roles.indexOf(role), "template", "spec"] }))
    : [];

const decodersHaveASidecar: Advice = {
  id: "decoders-have-a-sidecar",
  title: "A decoder behind a router has a decode sidecar",
  why: "The picker names a prefiller in a header that only a sidecar reads: without one decoders prefill by themselves, and prefillers stand idle.",
  source: "llm-d, disaggregated serving: routing sidecar; docs/prefill-decode.md",
  code: "reference",
  *check(spec) {
    if (routerOf(spec) === undefined) return;
    for (const { role, path } of pairOf(spec)) {
      if (role.componentType !== "decoder" || hasDecodeSidecar(role.template.spec)) continue;
      if (role.sidecar !== false) continue;
      yield {
        path: [...path, "containers"],
        given:
          "have no decode sidecar, and sidecar is false: decoders will prefill by themselves, and prefillers stand idle",
        allowed: "a decode sidecar in front of the engine",
        fix: "Leave sidecar out, or add a sidecar to the template, on the pool's port, and give the engine another port.",
      };
    }
  },
};

const connectorExists: Advice = {
  id: "connector-exists",
  title: "The key-value transfer names a connector that engines have",
  why: "An engine does not start with a connector that it does not know.",
  source: "vLLM, KVConnectorFactory: connectors of the V1 engine",
  code: "reference",
  *check(spec) {
    for (const { role, path } of pairOf(spec)) {
      const connector = connectorOf(engineOf(role.template.spec));
      if (connector === undefined || !removedConnectors.includes(connector)) continue;
      yield {
        path: [
          ...path,
          "containers",
          engineIndexOf(role.template.spec),
          argumentsField(engineOf(role.template.spec)),
        ],
        given: `name the connector ${connector}, which vLLM's V1 engine does not have`,
        allowed: "a connector of the engine's version, such as NixlConnector",
        fix: "Change kv_connector.",
      };
    }
  },
};

const pairHasAKnownEngine: Advice = {
  id: "pair-has-a-known-engine",
  title: "Whether prefillers and decoders hand over key-value blocks can be told",
  why: "The flags of other engines than vLLM and SGLang are not known: nothing tells a pair that works from one that does not.",
  source: "InferenceService design, Story 2: '--kv-transfer-config' on both sides",
  code: "reference",
  *check(spec) {
    for (const { role, path } of pairOf(spec)) {
      if (engineNameOfRole(role) !== undefined) continue;
      yield {
        path: [...path, "containers", engineIndexOf(role.template.spec)],
        given: "start an engine whose flags are not known",
        allowed: "any engine that is told how to hand over key-value blocks",
        fix: "Tell both sides in the engine's own words, as --kv-transfer-config does for vLLM and --disaggregation-mode for SGLang; the plan adds none, and nothing checks them.",
      };
    }
  },
};

const ranksHaveDevices: Advice = {
  ...parallelismFits,
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const { containers } = role.template.spec;
      const gpus = acceleratorsIn(podResources(role.template.spec));
      const engine = engineOf(role.template.spec);
      const problem = unfitParallelism(engine as ContainerShape, gpus, nodeCountOf(role));
      if (problem === undefined) continue;
      const at = ["roles", spec.roles.indexOf(role), "template", "spec", "containers"];
      yield { path: [...at, containers.indexOf(engine), argumentsField(engine)], ...problem };
    }
  },
};

export const inferenceServiceAdvice: readonly Advice[] = [
  ranksHaveDevices,
  modelDividesEvenly,
  decodersHaveASidecar,
  connectorExists,
  pairHasAKnownEngine,
  routerConfigHasItsEffect,
  routerGatewayWaits,
  routerHasRoom,
];
