import { z } from "zod";
import { nonEmptyText, positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { named, words } from "../../schemas/argument.ts";
import { resourceName } from "../../schemas/resources.ts";

export const NetworkKind = words("NetworkKind", "Kind of network between the pods of a model.", {
  Rdma: ["rdma", "InfiniBand or RoCE, through a device plugin that shares the host's devices."],
  SrIov: ["sriov", "InfiniBand or RoCE, through virtual functions on Multus networks."],
  Efa: ["efa", "Elastic Fabric Adapters of AWS."],
});

export const NetworkDevices = named(
  "NetworkDevices",
  z.strictObject({
    kind: NetworkKind.describe("Kind of network."),
    resource: resourceName("rdma/hca_shared_devices")
      .optional()
      .describe(
        "Resource name under which a pod requests the devices. Default: `rdma/hca` for rdma, `vpc.amazonaws.com/efa` for efa. Required for sriov.",
      ),
    devices: positiveInteger
      .optional()
      .describe(
        "Devices per pod. Default: 1 for rdma, one per network for sriov. Required for efa, because instance types differ.",
      ),
    networks: z
      .array(nonEmptyText)
      .optional()
      .describe("NetworkAttachmentDefinitions of a pod, one for each device. Only for sriov."),
    hcas: z
      .array(nonEmptyText)
      .min(1)
      .optional()
      .describe(
        "Devices that NCCL, UCX and SGLang's transfer use, such as mlx5_0. Not allowed for efa. Default: each selects its own devices.",
      ),
    gidIndex: z
      .int()
      .min(0)
      .optional()
      .describe("Index of the devices' RoCE address. Default: NCCL and UCX select it."),
    socketInterface: nonEmptyText
      .optional()
      .describe(
        "Network interface through which NCCL and Gloo find the other pods, such as eth0. Default: they select it.",
      ),
  }),
).describe(
  "Network devices of pods that exchange tensors or KV blocks with other pods: multi-node replicas, prefillers and decoders.",
);

export type NetworkDevices = z.infer<typeof NetworkDevices>;
