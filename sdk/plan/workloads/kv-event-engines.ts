import { withKnown } from "../../../kubernetes/values/deferred.ts";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { engineIndexOf } from "../../engines/containers/engine-container.ts";
import {
  kvEventPorts,
  kvEventsFlag,
  publishesKvEvents,
} from "../../engines/containers/kv-events.ts";
import { servedModels } from "../../engines/containers/served-models.ts";
import type { Container } from "../../schemas/pod-template.ts";
import { type InferenceServiceSpec, routerOf } from "../../spec/inference-service.ts";
import { type InferenceRole, isInferenceRole } from "../../spec/role.ts";

/**
 * Returns the spec with engines that publish their KV events, if the router sets `kvEvents`. Explicit settings in a
 * template are kept.
 */
export function withKvEvents(spec: InferenceServiceSpec): InferenceServiceSpec {
  if (routerOf(spec)?.kvEvents !== true) return spec;
  return {
    ...spec,
    roles: spec.roles.map((role) => (isInferenceRole(role) ? publishing(role) : role)),
  };
}

function publishing(role: InferenceRole): InferenceRole {
  const pod = role.template.spec;
  const engine = engineIndexOf(pod);
  const containers = pod.containers.map((container, at) =>
    at === engine && !publishesKvEvents(container) ? withFlag(container) : container,
  );
  return { ...role, template: { ...role.template, spec: { ...pod, containers } } };
}

const podIp = "POD_IP";

function withFlag(engine: Container): Container {
  const field = argumentsField(engine);
  const { env = [] } = engine as { env?: unknown };
  const address = { name: podIp, valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
  const config = JSON.stringify({
    enable_kv_cache_events: true,
    publisher: "zmq",
    // vLLM binds to an address that contains a star, and connects to any other address.
    endpoint: `tcp://*:${kvEventPorts.events}`,
    replay_endpoint: `tcp://*:${kvEventPorts.replay}`,
    topic: `kv@$(${podIp})@${servedModels(engine)?.[0] ?? ""}`,
  });
  return {
    ...engine,
    [field]: withKnown([engine[field] ?? []], ([words]) => [
      ...[words].flat(),
      kvEventsFlag,
      config,
    ]),
    env: withKnown([env].flat(), (known) => {
      const entries = known.flat() as ReadonlyArray<{ readonly name?: unknown } | null>;
      return entries.some((entry) => entry?.name === podIp) ? entries : [...entries, address];
    }),
  };
}
