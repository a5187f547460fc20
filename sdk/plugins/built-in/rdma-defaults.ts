import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { isMap } from "../../../kubernetes/values/records.ts";
import { engineIndexOf } from "../../engines/containers/engine-container.ts";
import { onByDefault } from "../../schemas/argument.ts";
import { resourceName } from "../../schemas/resources.ts";
import { addEnv } from "../env.ts";
import type { Container } from "../hook-request.ts";
import { PluginRefusal } from "../plugin-refusal.ts";
import { definePodPlugin } from "../pod-plugin.ts";

/**
 * Requests RDMA devices for the engine container, and sets NCCL's variables for them. A plugin cannot add privileges,
 * so the template must contain the capability IPC_LOCK, which registering memory with a device needs.
 */
export const rdmaDefaults = definePodPlugin({
  name: "rdma-defaults",
  config: z.strictObject({
    resourceName: resourceName("rdma/hca_shared_devices")
      .default("rdma/hca")
      .describe("Resource that counts RDMA devices."),
    count: positiveInteger.default(1).describe("Devices per pod."),
    ncclDevices: nonEmptyText.optional().describe("NCCL_IB_HCA. Default: NCCL's choice."),
    gidIndex: z.int().min(0).optional().describe("Value of NCCL_IB_GID_INDEX, for RoCE."),
    socketInterface: nonEmptyText.optional().describe("NCCL_SOCKET_IFNAME."),
    requireIpcLock: onByDefault("Whether to reject templates without the capability IPC_LOCK."),
  }),
  onPodCreate({ pod: { spec } }, config) {
    const at = engineIndexOf(spec);
    const engine = spec.containers[at];
    if (engine === undefined) return;
    if (config.requireIpcLock && !hasIpcLock(engine)) {
      throw new PluginRefusal({
        path: ["spec", "containers", at, "securityContext", "capabilities", "add"],
        given: "does not contain IPC_LOCK",
        allowed: "IPC_LOCK in the template, because a plugin may not add it",
        fix: "Add it to the template, or set requireIpcLock to false if the nodes do not limit locked memory.",
      });
    }
    const { resourceName, count } = config;
    if (engine.resources?.limits?.[resourceName] === undefined) {
      engine.resources = {
        ...engine.resources,
        limits: { ...engine.resources?.limits, [resourceName]: String(count) },
      };
    }
    addEnv(engine, {
      NCCL_IB_HCA: config.ncclDevices,
      NCCL_IB_GID_INDEX: config.gidIndex?.toString(),
      NCCL_SOCKET_IFNAME: config.socketInterface,
    });
  },
});

function hasIpcLock({ securityContext }: Container): boolean {
  if (!isMap(securityContext)) return false;
  if (securityContext.privileged === true) return true;
  const { capabilities } = securityContext;
  const added = isMap(capabilities) && Array.isArray(capabilities.add) ? capabilities.add : [];
  return added.some((name) => ["IPC_LOCK", "CAP_IPC_LOCK", "ALL"].includes(String(name)));
}
