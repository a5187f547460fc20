import { acceleratorsOf, acceleratorsOfPod } from "../../engines/accelerators/pod-accelerators.ts";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { hasDecodeSidecar } from "../../engines/containers/containers.ts";
import { engineIndexOf, engineOf } from "../../engines/containers/engine-container.ts";
import { engineNameOfRole, isMultiNode, nodeCountOf } from "../../engines/containers/executor.ts";
import { engineNameOf, engines } from "../../engines/index.ts";
import {
  acceleratorsAreUsed,
  parallelismFits,
  type RankRule,
  unfitParallelism,
} from "../../engines/start-up/parallelism.ts";
import { unevenDivision } from "../../engines/start-up/uneven-division.ts";
import { poolGatewayType } from "../../gateways/index.ts";
import type { FindingText, Invariant } from "../../invariant.ts";
import {
  type InferenceServiceSpec,
  inferenceRolesOf,
  isDisaggregated,
  routerOf,
} from "../../spec/inference-service.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { accessAdvice } from "./access.ts";
import { adaptersHaveOwnNames, repeatedAdapter } from "./adapter-names.ts";
import { adaptersAreMounted, unmountedAdapters } from "./adapter-paths.ts";
import { enginesFinishTheirAnswers } from "./engine-drain.ts";
import { misplacedProbes, probesAskTheServer } from "./engine-probes.ts";
import { engineWillStart } from "./engine-start-up.ts";
import { unknownGatewayReachesTlsEngines } from "./engine-tls.ts";
import { routerGatewayWaits } from "./gateway-waits.ts";
import { hostNetworkResolvesNames, unresolvedNames } from "./host-network.ts";
import { connectorOf, isPairSide, removedConnectors } from "./kv-transfer.ts";
import { cacheDifferences, pairHasOneCache } from "./pair-cache.ts";
import { pastedTokens, tokensAreInSecrets } from "./pasted-tokens.ts";
import { routerConfigHasItsEffect } from "./picker-config.ts";
import { gatewayTakesTimeouts, refusedTimeouts } from "./route-timeouts.ts";
import { routerGatewayWaitsForStart } from "./zero-start.ts";

/**
 * A warning and not a refusal, because a template may start a patched engine, or another checkpoint under a name in the
 * table.
 */
const modelDividesEvenly: Invariant<InferenceServiceSpec> = {
  id: "model-divides-evenly",
  title: "A model divides evenly over the ranks of its engine",
  why: "An engine does not load a model if a rank would get a fraction of an attention head or of a quantization block.",
  source:
    "vLLM 0.32: verify_with_parallel_config, validate_fp8_block_shape, validate_fp8_block_shape_moe; sizes from each model's config.json",
  code: "count",
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const engine = engineOf(role.template.spec);
      const problem = unevenDivision(
        engine as ContainerShape,
        acceleratorsOf(engine, spec.accelerators) ?? 0,
      );
      if (problem === undefined) continue;
      const path = argumentsPath(spec.roles.indexOf(role), role.template.spec);
      yield { path, ...problem };
    }
  },
};

/** Rules that allow a service and warn its author in the preview. */

type Advice = Invariant<InferenceServiceSpec>;

/** Prefillers and decoders of a disaggregated service, with the paths of their pod specs. Empty for other services. */
const pairOf = (spec: InferenceServiceSpec) =>
  isDisaggregated(spec.roles)
    ? inferenceRolesOf(spec)
        .filter(({ componentType }) => isPairSide(componentType))
        .map((role) => ({ role, path: ["roles", spec.roles.indexOf(role), "template", "spec"] }))
    : [];

const decodersHaveASidecar: Advice = {
  id: "decoders-have-a-sidecar",
  title: "A decoder behind a router has a decode sidecar",
  why: "The picker names the prefiller in a header that only the sidecar reads. Without a sidecar, decoders prefill by themselves and the prefillers stay idle.",
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
          "have no decode sidecar, and sidecar is false: decoders prefill by themselves and the prefillers stay idle",
        allowed: "a decode sidecar in front of the engine",
        fix: "Remove sidecar: false, or add a sidecar to the template that listens on the pool's port, and move the engine to another port.",
      };
    }
  },
};

const pairHasOneFormat: Advice = {
  ...pairHasOneCache,
  *check(spec) {
    const pair = pairOf(spec);
    const prefiller = pair.find(({ role }) => role.componentType === "prefiller");
    for (const { role, path } of pair) {
      if (prefiller === undefined || role.componentType !== "decoder") continue;
      const engine = engineOf(role.template.spec);
      const at = ["containers", engineIndexOf(role.template.spec), argumentsField(engine)];
      for (const problem of cacheDifferences(engineOf(prefiller.role.template.spec), engine))
        yield { path: [...path, ...at], ...problem };
    }
  },
};

const connectorExists: Advice = {
  id: "connector-exists",
  title: "The KV cache transfer names a connector that the engine has",
  why: "An engine does not start with an unknown connector.",
  source: "vLLM, KVConnectorFactory: connectors of the V1 engine",
  code: "reference",
  *check(spec) {
    for (const { role, path } of pairOf(spec)) {
      const engine = engineOf(role.template.spec);
      const connector = connectorOf(engine);
      const name = engineNameOf(engine);
      // The rule on start-up checks connectors by version, if the release is known.
      if (name !== undefined && engines[name].releases?.of(engine.image) !== undefined) continue;
      if (connector === undefined || !removedConnectors.includes(connector)) continue;
      yield {
        path: [...path, "containers", engineIndexOf(role.template.spec), argumentsField(engine)],
        given: `name the connector ${connector}, which vLLM's V1 engine does not have`,
        allowed: "a connector of this engine version, such as NixlConnector",
        fix: "Set kv_connector to a connector that the engine has.",
      };
    }
  },
};

const pairHasAKnownEngine: Advice = {
  id: "pair-has-a-known-engine",
  title: "The engine of a prefiller or decoder has a known KV cache transfer",
  why: "Only the transfer flags of vLLM and SGLang are known. For any other engine, nothing checks whether the pair transfers KV cache blocks.",
  source: "InferenceService design, Story 2: '--kv-transfer-config' on both sides",
  code: "reference",
  *check(spec) {
    for (const { role, path } of pairOf(spec)) {
      const name = engineNameOfRole(role);
      if (name !== undefined && engines[name].transfer !== undefined) continue;
      yield {
        path: [...path, "containers", engineIndexOf(role.template.spec)],
        given:
          name === undefined
            ? "start an engine whose flags are unknown"
            : `start ${engines[name].title}, which configures its transfer in a file`,
        allowed: "any engine that is configured to transfer KV cache blocks",
        fix: "Configure the transfer on both sides, as --kv-transfer-config does for vLLM and --disaggregation-mode for SGLang. The plan neither adds nor checks them.",
      };
    }
  },
};

const ranksFit = (rule: RankRule): Advice => ({
  ...rule,
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const { containers } = role.template.spec;
      const gpus = acceleratorsOfPod(role.template.spec, spec.accelerators, "ranks") ?? 0;
      const engine = engineOf(role.template.spec);
      const problem = unfitParallelism(engine as ContainerShape, gpus, nodeCountOf(role), rule);
      if (problem === undefined) continue;
      const at = ["roles", spec.roles.indexOf(role), "template", "spec", "containers"];
      yield { path: [...at, containers.indexOf(engine), argumentsField(engine)], ...problem };
    }
  },
});

const groupsResolveNames: Advice = {
  ...hostNetworkResolvesNames,
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const problem = isMultiNode(role) ? unresolvedNames(role.template.spec) : undefined;
      if (problem === undefined) continue;
      yield {
        path: ["roles", spec.roles.indexOf(role), "template", "spec", "dnsPolicy"],
        ...problem,
      };
    }
  },
};

const probesAreOfTheServer: Advice = {
  ...probesAskTheServer,
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const pod = role.template.spec;
      const at = ["roles", spec.roles.indexOf(role), "template", "spec", "containers"];
      for (const { path, ...problem } of misplacedProbes(engineOf(pod)))
        yield { path: [...at, engineIndexOf(pod), ...path], ...problem };
    }
  },
};

/** Returns the advice on the adapters of roles' engines. */
const adviceOnAdapters = (
  rule: Omit<Advice, "check">,
  find: (engine: ContainerShape) => FindingText | undefined,
): Advice => ({
  ...rule,
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const engine = engineOf(role.template.spec) as ContainerShape;
      const problem = find(engine);
      if (problem === undefined) continue;
      const at = ["roles", spec.roles.indexOf(role), "template", "spec", "containers"];
      yield {
        path: [...at, engineIndexOf(role.template.spec), argumentsField(engine)],
        ...problem,
      };
    }
  },
});

const tokensOfRoles: Advice = {
  ...tokensAreInSecrets,
  *check(spec) {
    for (const role of inferenceRolesOf(spec)) {
      const at = ["roles", spec.roles.indexOf(role), "template", "spec", "containers"];
      for (const [index, container] of role.template.spec.containers.entries())
        for (const { path, ...finding } of pastedTokens(container))
          yield { path: [...at, index, ...path], ...finding };
    }
  },
};

const routerTimeoutsAreTaken: Advice = {
  ...gatewayTakesTimeouts,
  *check(spec) {
    const router = routerOf(spec);
    for (const [at, { timeouts }] of (router?.httproute?.rules ?? []).entries()) {
      const problem = refusedTimeouts(poolGatewayType(router?.gateway), timeouts);
      if (router === undefined || problem === undefined) continue;
      const path = ["roles", spec.roles.indexOf(router), "httproute", "rules", at, "timeouts"];
      yield { path, ...problem };
    }
  },
};

export const inferenceServiceAdvice: readonly Advice[] = [
  ranksFit(parallelismFits),
  ranksFit(acceleratorsAreUsed),
  groupsResolveNames,
  probesAreOfTheServer,
  modelDividesEvenly,
  engineWillStart,
  decodersHaveASidecar,
  pairHasOneFormat,
  connectorExists,
  pairHasAKnownEngine,
  enginesFinishTheirAnswers,
  unknownGatewayReachesTlsEngines,
  routerConfigHasItsEffect,
  routerGatewayWaits,
  routerGatewayWaitsForStart,
  adviceOnAdapters(adaptersAreMounted, unmountedAdapters),
  adviceOnAdapters(adaptersHaveOwnNames, repeatedAdapter),
  tokensOfRoles,
  routerTimeoutsAreTaken,
  ...accessAdvice,
];
