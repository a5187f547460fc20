import { engineIndexOf, engineOf } from "../../engines/containers/engine-container.ts";
import { canPublishKvEvents, kvEventsFlag } from "../../engines/containers/kv-events.ts";
import { flaggedPort } from "../../engines/containers/server.ts";
import { classesWithoutPools, createdGateway } from "../../gateways/index.ts";
import type { Invariant } from "../../invariant.ts";
import { inferencePoolName } from "../../names.ts";
import { isDisaggregated } from "../../spec/inference-service.ts";
import { routingStrategies } from "../../spec/role.ts";
import { plannedSidecarOf, takesArguments } from "../../topology/decode-sidecar.ts";
import {
  needsReadinessProbe,
  routedRoles,
  servingPortOfRole,
} from "../../topology/serving-port.ts";
import { argumentsPath } from "../helpers/arguments-path.ts";
import { inferenceRoles, type PartialSpec, routers } from "../helpers/partial-spec.ts";
import { accessRules } from "./access.ts";
import { gatewayReachesTlsEngines } from "./engine-tls.ts";
import { ranksPublishEvents } from "./kv-event-ranks.ts";
import { routerConfigCanBeUsed } from "./picker-config.ts";
import { routerHasMemory } from "./picker-memory.ts";
import { routerSharesItsPicker } from "./shared-picker.ts";

const singleNodeStrategies = routingStrategies.filter((name) => name !== "pd-disaggregation");

const oneRouter: Invariant<PartialSpec> = {
  id: "service-has-one-router",
  title: "A service has at most one router",
  why: "A router's objects are named after the service, so two routers would overwrite each other's objects.",
  source:
    "InferenceService router objects: '{service}-epp', '{service}-pool', '{service}-httproute'",
  code: "conflict",
  *check({ roles }) {
    const [first, ...others] = roles.filter(({ componentType }) => componentType === "router");
    for (const { index } of others) {
      yield {
        path: ["roles", index, "componentType"],
        given: `is router, the same as roles[${first?.index}]`,
        allowed: "one router per service",
        fix: "Remove one of the two.",
      };
    }
  },
};

const strategyFitsRoles: Invariant<PartialSpec> = {
  id: "strategy-fits-roles",
  title: "The strategy is pd-disaggregation if and only if the service has prefillers and decoders",
  why: "Other strategies send clients' requests to prefillers, and pd-disaggregation ignores workers.",
  source: "InferenceService routing strategies; trap of a silent fallback",
  code: "conflict",
  *check(spec) {
    const disaggregated = isDisaggregated(spec.roles);
    for (const { index, role } of routers(spec)) {
      const { strategy } = role;
      if (strategy === undefined || (strategy === "pd-disaggregation") === disaggregated) continue;
      yield {
        path: ["roles", index, "strategy"],
        given: `is ${strategy}`,
        allowed: disaggregated
          ? "pd-disaggregation, because the service has prefillers and decoders"
          : `${singleNodeStrategies.join(", ")}, because the service has no prefillers and decoders`,
        fix: "Change strategy, or remove it for the default.",
      };
    }
  },
};

const oneSourceOfPickerConfig: Invariant<PartialSpec> = {
  id: "picker-config-has-one-source",
  title: "A router has either a strategy or an endpointPickerConfig",
  why: "One of the two would be ignored.",
  source:
    "InferenceService design: 'EndpointPickerConfig is raw YAML for advanced EPP customization'",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.endpointPickerConfig === undefined) continue;
      if (role.flowControl !== undefined) {
        yield {
          path: ["roles", index, "flowControl"],
          given: "is set together with endpointPickerConfig",
          allowed: "flowControl only if the plan writes the picker's configuration",
          fix: "Remove flowControl, and configure it in endpointPickerConfig.",
        };
      }
      if (role.strategy === undefined) continue;
      yield {
        path: ["roles", index, "strategy"],
        given: `is ${role.strategy} together with endpointPickerConfig`,
        allowed: "either strategy or endpointPickerConfig",
        fix: "Remove one of the two.",
      };
    }
  },
};

const backendsAreOurs: Invariant<PartialSpec> = {
  id: "route-backends-are-the-pool",
  title: "All route rules use the service's pool as backend",
  why: "The plan sets the service's pool as the backend of every rule and would drop any other.",
  source: "InferenceService HTTPRoute: backendRefs is the InferencePool '{service}-pool'",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      for (const [at, rule] of (role.httproute?.rules ?? []).entries()) {
        if (rule.backendRefs === undefined || isPool(rule.backendRefs, spec)) continue;
        yield {
          path: ["roles", index, "httproute", "rules", at, "backendRefs"],
          given: "contains other backends",
          allowed: "no backendRefs, or only the service's pool",
          fix: "Remove backendRefs, or route to other backends with a separate HTTPRoute.",
        };
      }
    }
  },
};

/**
 * Reports whether the pool of the service is the only backend, as in a route that was planned and read from a cluster.
 */
const isPool = (backendRefs: unknown, { name }: PartialSpec): boolean =>
  Array.isArray(backendRefs) &&
  backendRefs.length === 1 &&
  backendRefs[0]?.kind === "InferencePool" &&
  backendRefs[0]?.name === inferencePoolName(name);

const gatewayIsWhole: Invariant<PartialSpec> = {
  id: "gateway-is-whole",
  title: "A router's gateway is a gateway type, a complete Gateway to create, or both",
  why: "The API server rejects a Gateway without a class or listeners, and an empty gateway has no effect.",
  source: "Gateway API, GatewaySpec: gatewayClassName and listeners are required",
  code: "shape",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.gateway === undefined) continue;
      const created = createdGateway(role.gateway);
      if (created === undefined && role.gateway.type !== undefined) continue;
      const absent = ["gatewayClassName", "listeners"].filter((field) =>
        isAbsent(created?.[field]),
      );
      if (absent.length === 0) continue;
      yield {
        path: ["roles", index, "gateway"],
        given: created === undefined ? "is empty" : `has no ${absent.join(" and no ")}`,
        allowed:
          'a type for an existing Gateway, such as { type: "istio" }; or a Gateway to create, such as ' +
          '{ gatewayClassName: "istio", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] }',
        fix:
          created === undefined
            ? "Set one of the two, or remove `gateway`."
            : "Add the missing fields, or name an existing Gateway in httproute.parentRefs.",
      };
    }
  },
};

const isAbsent = (value: unknown) =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

const routeHasParent: Invariant<PartialSpec> = {
  id: "route-has-a-parent",
  title: "A route attaches to a Gateway",
  why: "A route without a parent gets no traffic, and no error is reported.",
  source: "Gateway API, HTTPRoute parentRefs",
  code: "reference",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.httproute === undefined || createdGateway(role.gateway) !== undefined) continue;
      if ((role.httproute.parentRefs ?? []).length > 0) continue;
      yield {
        path: ["roles", index, "httproute", "parentRefs"],
        given: role.httproute.parentRefs === undefined ? "is missing" : "is an empty list",
        allowed: "at least one Gateway",
        fix: "Name a Gateway in parentRefs, or let the router create one with `gateway`.",
      };
    }
  },
};

const servingPortIsKnown: Invariant<PartialSpec> = {
  id: "serving-port-is-known",
  title: "The plan knows the port that serves the model",
  why: "The pool sends requests to this port, and a multi-node leader is ready when it responds there.",
  source: "Gateway API inference extension, InferencePool targetPorts",
  code: "reference",
  *check(spec) {
    const router = routers(spec)[0]?.role;
    for (const { index, role } of inferenceRoles(spec)) {
      if (router === undefined && !needsReadinessProbe(role)) continue;
      if (servingPortOfRole(role, router) !== undefined) continue;
      yield {
        path: ["roles", index, "port"],
        given: "is missing, and the template does not show the engine's port",
        allowed:
          "a port number, a container port named http, or a vLLM, SGLang or TensorRT-LLM command that shows its --port",
        fix: "Set port to the port on which the engine serves.",
      };
    }
  },
};

const rolesServeOnOnePort: Invariant<PartialSpec> = {
  id: "roles-serve-on-one-port",
  title: "Roles behind one router serve on the same port",
  why: "A pool sends requests to the same port of all its pods. Roles on other ports would get no requests.",
  source: "Gateway API inference extension, InferencePool targetPorts",
  code: "conflict",
  *check(spec) {
    const router = routers(spec)[0]?.role;
    if (router === undefined) return;
    const [first, ...others] = routedRoles(inferenceRoles(spec).map(({ role }) => role)).flatMap(
      (role) => {
        const port = servingPortOfRole(role, router);
        return port === undefined ? [] : [{ role, port }];
      },
    );
    for (const { role, port } of others) {
      if (port === first?.port) continue;
      const index = inferenceRoles(spec).find((placed) => placed.role === role)?.index ?? 0;
      const engine = engineIndexOf(role.template.spec);
      yield {
        path: ["roles", index, "template", "spec", "containers", engine, "ports"],
        given: `serves on port ${port}`,
        allowed: `port ${first?.port}, as in role ${first?.role.name}`,
        fix: "Use the same port in all roles, or set the router's targetPort or targetPorts.",
      };
    }
  },
};

const portsAreOfEveryPod: Invariant<PartialSpec> = {
  id: "router-ports-match-every-pod",
  title: "A router's target ports are unique, and decode sidecars require a single one",
  why: "The API server rejects duplicate ports. A decode sidecar listens on only one port.",
  source: "Gateway API inference extension, InferencePool targetPorts; docs/prefill-decode.md",
  code: "conflict",
  *check(spec) {
    const [router] = routers(spec);
    const { targetPorts = [], targetPort } = router?.role ?? {};
    const at = (...rest: number[]) => ["roles", router?.index ?? 0, "targetPorts", ...rest];
    for (const [index, port] of targetPorts.entries()) {
      const first = targetPorts.indexOf(port);
      if (first === index) continue;
      yield {
        path: at(index),
        given: `is ${port}, the same as targetPorts[${first}]`,
        allowed: "each port once",
        fix: "Remove one of the two.",
      };
    }
    if (targetPorts.length > 0 && targetPort !== targetPorts[0]) {
      yield {
        path: ["roles", router?.index ?? 0, "targetPort"],
        given: `is ${targetPort}, but targetPorts[0] is ${targetPorts[0]}`,
        allowed: "the first of targetPorts, or no targetPort",
        fix: "Remove targetPort.",
      };
    }
    const roles = spec.roles.flatMap(({ role }) => role ?? []);
    const behind = inferenceRoles(spec).find(({ role }) => plannedSidecarOf(role, { roles }));
    if (targetPorts.length < 2 || behind === undefined) return;
    yield {
      path: at(),
      given: `has ${targetPorts.length} ports, but role ${behind.role.name} has a decode sidecar`,
      allowed: "one port, on which the decode sidecar listens",
      fix: "Keep one port, or set sidecar: false and add your own sidecar to the template.",
    };
  },
};

const decoderGoesBehindItsSidecar: Invariant<PartialSpec> = {
  id: "decoder-port-is-configurable",
  title:
    "The port of a decoder's engine can be changed if a decode sidecar listens on the pool's port",
  why: "Two servers in one pod cannot listen on the same port, so one of them would not start.",
  source: "llm-d, disaggregated serving: routing sidecar; docs/prefill-decode.md",
  code: "conflict",
  *check(spec) {
    const roles = spec.roles.flatMap(({ role }) => role ?? []);
    for (const { index, role } of inferenceRoles(spec)) {
      const place = plannedSidecarOf(role, { roles });
      const engine = engineOf(role.template.spec);
      if (place === undefined || flaggedPort(engine) === place.enginePort || takesArguments(engine))
        continue;
      yield {
        path: argumentsPath(index, role.template.spec),
        given: "start an engine whose port the plan cannot change",
        allowed: `a vLLM or SGLang command to which the plan can add arguments, or --port with a port other than ${place.servingPort}, on which the decode sidecar listens`,
        fix: `Add --port ${place.enginePort}, or set sidecar: false.`,
      };
    }
  },
};

const kvEventsComeFromVllm: Invariant<PartialSpec> = {
  id: "kv-events-need-vllm",
  title: "kvEvents requires vLLM engines that the plan can configure",
  why: "An argument enables the events. An engine that is not configured for KV events publishes no events.",
  source: "vLLM: --kv-events-config; docs/prefix-cache.md",
  code: "conflict",
  *check(spec) {
    if (!routers(spec).some(({ role }) => role.kvEvents === true)) return;
    for (const { index, role } of inferenceRoles(spec)) {
      const engine = engineOf(role.template.spec);
      if (canPublishKvEvents(engine)) continue;
      yield {
        path: argumentsPath(index, role.template.spec),
        given: "start an engine for which the plan cannot enable KV events",
        allowed: `a vLLM command to which the plan can add arguments, or a command with ${kvEventsFlag}, because the router sets kvEvents`,
        fix: `Add ${kvEventsFlag} to the command, or remove kvEvents.`,
      };
    }
  },
};

const gatewayRoutesToPools: Invariant<PartialSpec> = {
  id: "gateway-routes-to-pools",
  title: "The class of a gateway to create supports InferencePools",
  why: "The gateway ignores a route to an InferencePool, and clients get an error for every request.",
  source: "kgateway-dev/kgateway issue 12442; docs/gateways.md",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      const { type, gatewayClassName } = role.gateway ?? {};
      const refused = type === undefined && classesWithoutPools[String(gatewayClassName)];
      if (!refused) continue;
      yield {
        path: ["roles", index, "gateway", "gatewayClassName"],
        given: `is ${gatewayClassName}, and ${refused.given}`,
        allowed: "the class of a gateway that supports InferencePools",
        fix: `${refused.fix} If the class belongs to another gateway, set gateway.type.`,
      };
    }
  },
};

export const routerRules: ReadonlyArray<Invariant<PartialSpec>> = [
  ...accessRules,
  gatewayReachesTlsEngines,
  oneRouter,
  strategyFitsRoles,
  oneSourceOfPickerConfig,
  routerConfigCanBeUsed,
  routerSharesItsPicker,
  routerHasMemory,
  backendsAreOurs,
  gatewayIsWhole,
  gatewayRoutesToPools,
  routeHasParent,
  servingPortIsKnown,
  rolesServeOnOnePort,
  portsAreOfEveryPod,
  decoderGoesBehindItsSidecar,
  kvEventsComeFromVllm,
  ranksPublishEvents,
];
