import { z } from "zod";
import { named, words } from "./argument.ts";

export const NetworkKind = words(
  "NetworkKind",
  "The kind of network between the pods of a model.",
  {
    Rdma: ["rdma", "InfiniBand or RoCE, by a device plugin that shares the host's devices."],
    SrIov: ["sriov", "InfiniBand or RoCE, by virtual functions on networks of Multus."],
    Efa: ["efa", "Elastic Fabric Adapters of AWS."],
  },
);

export const NetworkDevices = named(
  "NetworkDevices",
  z.strictObject({
    kind: NetworkKind.describe("The kind of network."),
    resource: z
      .string()
      .regex(/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/, "a resource name, such as rdma/hca_shared_devices")
      .optional()
      .describe(
        "Resource by which a pod requests the devices. Default: `rdma/hca` for rdma, `vpc.amazonaws.com/efa` for efa; sriov has none.",
      ),
    devices: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Devices of one pod. Default: 1 for rdma, one for each network for sriov; efa has none, since instance types differ.",
      ),
    networks: z
      .array(z.string().min(1))
      .optional()
      .describe("NetworkAttachmentDefinitions of a pod, one for each device. Only for sriov."),
    hcas: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        "Devices that NCCL, UCX and SGLang's transfer use, as mlx5_0. Default: they choose. Not for efa.",
      ),
    gidIndex: z
      .int()
      .min(0)
      .optional()
      .describe("Index of the RoCE address of the devices. Default: NCCL and UCX choose."),
    socketInterface: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Interface by which NCCL and Gloo find the other pods, as eth0. Default: they choose.",
      ),
  }),
).describe(
  "Network devices of pods that exchange tensors or KV blocks with other pods: those of replicas over several nodes, prefillers and decoders.",
);

export type NetworkDevices = z.infer<typeof NetworkDevices>;
