import { pluginsOf, refusingPods } from "../plan/pod-plugins.ts";
import { rolePods } from "../plan/pod-template.ts";
import type { PodPluginSupport } from "../plugins/registry.ts";
import type { InferenceService } from "../spec/inference-service.ts";
import { inferenceServiceKind } from "../spec/inference-service-manifest.ts";
import { isInferenceRole } from "../spec/role.ts";
import { layOut } from "../topology/role-layout.ts";
import { titleOf } from "../validate/spec-kind.ts";

/**
 * The service with templates as plugins leave them, so that accelerators which they add count. Pods of one role ask for
 * the same: the entry pod's template stands for all.
 *
 * @throws SpecError where a plugin refuses a pod
 */
export function pluggedService(
  service: InferenceService,
  podPlugins?: PodPluginSupport,
): InferenceService {
  const plugins = pluginsOf(service, { podPlugins });
  if (plugins === undefined) return service;
  const { metadata, spec } = service;
  const layouts = layOut(metadata.name, spec);
  const pods = refusingPods(titleOf(inferenceServiceKind.kind, metadata), () =>
    layouts.map((layout) => {
      const strategy = spec.schedulingStrategy;
      const placement = { service: metadata.name, layout, strategy, plugins };
      const { leader, worker } = rolePods(placement, layout.workloads[0]?.replicaIndex);
      return [layout.role.name, (leader ?? worker).spec] as const;
    }),
  );
  const specs = new Map(pods);
  const roles = spec.roles.map((role) => {
    const after = specs.get(role.name);
    return isInferenceRole(role) && after !== undefined
      ? { ...role, template: { ...role.template, spec: after } }
      : role;
  });
  return { metadata, spec: { ...spec, roles } };
}
