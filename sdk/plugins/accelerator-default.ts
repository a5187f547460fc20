import type { NamedAccelerator } from "../engines/accelerators/named-accelerator.ts";
import { hasClaims, isDevice } from "../engines/accelerators/pod-accelerators.ts";
import { engineIndexOf } from "../engines/containers/engine-container.ts";
import type { Container, HookRequest } from "./hook-request.ts";
import { PluginRefusal } from "./plugin-refusal.ts";

/** Defaults for a pod whose template requests no accelerator. */
export interface AcceleratorDefault {
  readonly resource: string;
  readonly count: number;
  readonly runtimeClassName?: string | undefined;
}

/**
 * Requests accelerators for the engine container and sets the runtime class, unless a container already requests
 * accelerators, by a resource or a claim. A pod that requests accelerators of another maker is refused: each node has
 * devices of one maker, so no node could run it.
 */
export function applyAcceleratorDefault(
  { pod: { spec }, modelServing }: Pick<HookRequest, "pod" | "modelServing">,
  { resource, count, runtimeClassName }: AcceleratorDefault,
): void {
  const named = (modelServing.spec?.accelerators ?? []) as readonly NamedAccelerator[];
  const asked = spec.containers.flatMap((container, at) =>
    acceleratorsAskedBy(container, named).map((name) => ({ at, name })),
  );
  const other = asked.find(({ name }) => name !== resource);
  if (other !== undefined) {
    throw new PluginRefusal({
      path: ["spec", "containers", other.at, "resources"],
      given: `requests ${other.name}`,
      allowed: `${resource}, or no accelerator`,
      fix: "Set a scope for the plugin that excludes this role, or remove the plugin.",
    });
  }
  if (asked.length === 0 && !spec.containers.some(hasClaims)) {
    const engine = spec.containers[engineIndexOf(spec)];
    if (engine !== undefined) {
      engine.resources = {
        ...engine.resources,
        limits: { ...engine.resources?.limits, [resource]: String(count) },
      };
    }
  }
  if (runtimeClassName !== undefined) spec.runtimeClassName ??= runtimeClassName;
}

function acceleratorsAskedBy(
  { resources = {} }: Container,
  named: readonly NamedAccelerator[],
): string[] {
  const names = [...Object.keys(resources.limits ?? {}), ...Object.keys(resources.requests ?? {})];
  return [...new Set(names.filter((name) => isDevice(name, named)))];
}
