import { isDeferred, withKnown } from "../../../kubernetes/values/deferred.ts";
import { argumentsField } from "../../engines/command-line/started-programs.ts";
import { engineIndexOf } from "../../engines/containers/engine-container.ts";
import { flaggedPort } from "../../engines/containers/server.ts";
import { argumentsOf, engineNameOf, engines } from "../../engines/index.ts";
import type { PairSide } from "../../engines/interface/engine.ts";
import { transferIsPlanned } from "../../rules/spec/planned-transfer.ts";
import type { Container } from "../../schemas/pod-template.ts";
import {
  type InferenceServiceSpec,
  isDisaggregated,
  routerOf,
} from "../../spec/inference-service.ts";
import { type InferenceRole, isInferenceRole, type Role } from "../../spec/role.ts";
import { plannedSidecarOf, type SidecarLocation } from "../../topology/decode-sidecar.ts";

/**
 * Returns the spec with engines of prefillers and decoders that work together behind a router. Both sides transfer KV
 * cache blocks and publish the address of their blocks, and a decoder's engine listens behind its sidecar. Explicit
 * settings in a template are kept.
 */
export function withPairEngines(spec: InferenceServiceSpec): InferenceServiceSpec {
  if (routerOf(spec) === undefined || !isDisaggregated(spec.roles)) return spec;
  const isPlanned = transferIsPlanned(spec);
  return { ...spec, roles: spec.roles.map((role) => pairRole(role, spec, isPlanned)) };
}

function pairRole(role: Role, spec: InferenceServiceSpec, transferIsPlanned: boolean): Role {
  if (!isInferenceRole(role) || role.componentType === "worker") return role;
  const { componentType } = role;
  const sidecar = plannedSidecarOf(role, spec);
  return withEngine(role, (engine) => {
    const notifying = transferIsPlanned ? withTransfer(engine, componentType) : engine;
    return withSideChannel(sidecar ? behind(notifying, sidecar) : notifying);
  });
}

function withTransfer(engine: Container, side: PairSide): Container {
  const name = engineNameOf(engine);
  return name === undefined
    ? engine
    : withWords(engine, (words) => [
        ...words,
        ...(engines[name].transfer?.planned(engine, side) ?? []),
      ]);
}

function withEngine(role: InferenceRole, change: (engine: Container) => Container): InferenceRole {
  const pod = role.template.spec;
  const at = engineIndexOf(pod);
  const containers = pod.containers.map((container, index) =>
    index === at ? change(container) : container,
  );
  return { ...role, template: { ...role.template, spec: { ...pod, containers } } };
}

/** Moves the engine to the port behind its sidecar, including its declared port. */
function behind(engine: Container, { servingPort, enginePort }: SidecarLocation): Container {
  const ports = engine.ports?.map((port) =>
    port.containerPort === servingPort ? { ...port, containerPort: enginePort } : port,
  );
  const moved = { ...engine, ...(ports !== undefined && { ports }) };
  if (flaggedPort(engine) === enginePort) return moved;
  return withWords(moved, (words) => withPort(words, enginePort));
}

/** Returns a container with changed arguments. */
function withWords(
  container: Container,
  change: (words: readonly unknown[]) => unknown[],
): Container {
  const field = argumentsField(container);
  const changed = withKnown([container[field] ?? []], ([list]) => change([list].flat()));
  return { ...container, [field]: changed };
}

/** Sets `--port`: replaces its value, or appends the flag. */
function withPort(words: readonly unknown[], port: number): unknown[] {
  const at = words.findIndex((word) => !isDeferred(word) && /^--port(=|$)/.test(String(word)));
  if (at < 0) return [...words, "--port", String(port)];
  return String(words[at]).includes("=")
    ? words.with(at, `--port=${port}`)
    : words.with(at + 1, String(port));
}

/** Sets the address to which the other side connects. */
function withSideChannel(engine: Container): Container {
  const name = engineNameOf(engine);
  const sideChannel = name && engines[name].transfer?.sideChannel(argumentsOf(engine));
  if (sideChannel === undefined) return engine;
  const { env = [] } = engine as { env?: unknown };
  if (!Array.isArray(env)) return engine;
  const added = [
    { name: sideChannel.host, valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    { name: sideChannel.port, value: "5600" },
  ].filter(({ name }) => !env.some((entry) => isDeferred(entry) || entry?.name === name));
  return added.length === 0 ? engine : { ...engine, env: [...env, ...added] };
}
