import { isDeferred, withKnown } from "../../../kubernetes/values/deferred.ts";
import { argumentsField, wordsOf } from "../../engines/command-line.ts";
import { engineNameOf } from "../../engines/index.ts";
import { flaggedPort } from "../../engines/server.ts";
import { transferFlag } from "../../engines/vllm.ts";
import { connectorOf } from "../../invariants/kv-transfer.ts";
import {
  type InferenceServiceSpec,
  isDisaggregated,
  routerOf,
} from "../../spec/inference-service.ts";
import { type Container, type InferenceRole, isInferenceRole, type Role } from "../../spec/role.ts";
import { plannedSidecarOf, type SidecarPlace } from "../../topology/decode-sidecar.ts";
import { engineIndexOf } from "../../topology/engine-container.ts";

/**
 * The spec with the engines of prefillers and decoders as they work behind a router: a decoder's engine listens behind its
 * sidecar, and both sides tell each other where their blocks are. What a template says itself stays.
 */
export function withPairEngines(spec: InferenceServiceSpec): InferenceServiceSpec {
  if (routerOf(spec) === undefined || !isDisaggregated(spec.roles)) return spec;
  return { ...spec, roles: spec.roles.map((role) => pairRole(role, spec)) };
}

function pairRole(role: Role, spec: InferenceServiceSpec): Role {
  if (!isInferenceRole(role) || role.componentType === "worker") return role;
  const sidecar = plannedSidecarOf(role, spec);
  return withEngine(role, (engine) => withSideChannel(sidecar ? behind(engine, sidecar) : engine));
}

function withEngine(role: InferenceRole, change: (engine: Container) => Container): InferenceRole {
  const pod = role.template.spec;
  const at = engineIndexOf(pod);
  const containers = pod.containers.map((container, index) =>
    index === at ? change(container) : container,
  );
  return { ...role, template: { ...role.template, spec: { ...pod, containers } } };
}

/** The engine on another port than its sidecar; the port that it declares follows. */
function behind(engine: Container, { servingPort, enginePort }: SidecarPlace): Container {
  const ports = engine.ports?.map((port) =>
    port.containerPort === servingPort ? { ...port, containerPort: enginePort } : port,
  );
  const moved = { ...engine, ...(ports !== undefined && { ports }) };
  if (flaggedPort(engine) === enginePort) return moved;
  const field = argumentsField(engine);
  return {
    ...moved,
    [field]: withKnown([engine[field] ?? []], ([list]) => withPort(list, enginePort)),
  };
}

/** Words with `--port`: its value is replaced where it is written, else the flag comes last. */
function withPort(list: unknown, port: number): unknown[] {
  const words = [list].flat();
  const at = words.findIndex((word) => !isDeferred(word) && /^--port(=|$)/.test(String(word)));
  if (at < 0) return [...words, "--port", String(port)];
  return String(words[at]).includes("=")
    ? words.with(at, `--port=${port}`)
    : words.with(at + 1, String(port));
}

const sideChannel = {
  host: "VLLM_NIXL_SIDE_CHANNEL_HOST",
  port: "VLLM_NIXL_SIDE_CHANNEL_PORT",
} as const;

/** Tells the engine the address that the other side connects to: vLLM's NixlConnector takes localhost otherwise. */
function withSideChannel(engine: Container): Container {
  if (engineNameOf(engine) !== "vllm" || !usesNixl(engine)) return engine;
  const { env = [] } = engine as { env?: unknown };
  if (!Array.isArray(env)) return engine;
  const added = [
    { name: sideChannel.host, valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: sideChannel.port, value: "5600" },
  ].filter(({ name }) => !env.some((entry) => isDeferred(entry) || entry?.name === name));
  return added.length === 0 ? engine : { ...engine, env: [...env, ...added] };
}

const usesNixl = (engine: Container): boolean =>
  connectorOf(engine) === "NixlConnector" ||
  wordsOf(engine).some((word) => word.startsWith(transferFlag) && word.includes("NixlConnector"));
