import type { Finding } from "../../invariant.ts";
import type { Platform } from "../accelerators/accelerator.ts";
import type { NetworkParts } from "../interface/serving-engine.ts";
import type { NetworkDevices } from "../spec/network-devices.ts";

interface Kind {
  readonly resource: string | undefined;
  devices(network: NetworkDevices): number | undefined;
  readonly capabilities: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Devices register memory, which this capability allows a process to lock. */
const lockMemory = ["IPC_LOCK"];

const kinds: Readonly<Record<NetworkDevices["kind"], Kind>> = {
  rdma: { resource: "rdma/hca", devices: () => 1, capabilities: lockMemory, env: {} },
  sriov: {
    resource: undefined,
    devices: ({ networks }) => networks?.length ?? 1,
    capabilities: lockMemory,
    env: {},
  },
  efa: {
    resource: "vpc.amazonaws.com/efa",
    devices: () => undefined,
    // The nodes of the device plugin do not limit locked memory.
    capabilities: [],
    // Huge pages are off, because a pod would have to request them.
    env: { FI_PROVIDER: "efa", FI_EFA_USE_HUGE_PAGE: "0" },
  },
};

/** Annotation with which Multus attaches networks. */
const multusNetworks = "k8s.v1.cni.cncf.io/networks";

/** Returns the parts of a pod with valid network devices. */
export function networkParts(network: NetworkDevices): NetworkParts {
  const { resource, devices, capabilities, env } = kinds[network.kind];
  const { hcas, gidIndex, socketInterface, networks = [] } = network;
  const variables = {
    ...env,
    // NCCL reads names as prefixes unless they start with "=".
    NCCL_IB_HCA: hcas && `=${hcas.join()}`,
    UCX_NET_DEVICES: hcas?.map((hca) => `${hca}:1`).join(),
    NCCL_IB_GID_INDEX: gidIndex?.toString(),
    UCX_IB_GID_INDEX: gidIndex?.toString(),
    NCCL_SOCKET_IFNAME: socketInterface,
    GLOO_SOCKET_IFNAME: socketInterface,
  };
  return {
    annotations: networks.length > 0 ? { [multusNetworks]: networks.join() } : {},
    limits: {
      [network.resource ?? resource ?? ""]: String(network.devices ?? devices(network)),
    },
    capabilities,
    env: Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value }],
    ),
  };
}

/** Returns the faults of a role's network devices; paths start at them. */
export function* networkFaults(
  network: NetworkDevices,
  platform: Platform,
  hasImage: boolean,
): Iterable<Finding> {
  const { kind } = network;
  if (platform !== "cuda" && platform !== "rocm")
    yield {
      path: [],
      given: "is set for an accelerator that uses neither NCCL nor RCCL",
      allowed: "network devices only for NVIDIA and AMD GPUs",
      fix: "Remove network, and set the vendor's resources and environment variables in the role's template.",
    };
  if (kind === "sriov" && network.resource === undefined)
    yield {
      path: ["resource"],
      given: "is missing with kind sriov",
      allowed: "the resource of the SR-IOV device plugin, such as openshift.io/mlxnics",
      fix: "Set resource to the resourceName of the SriovNetworkNodePolicy.",
    };
  if (kind === "efa" && network.devices === undefined)
    yield {
      path: ["devices"],
      given: "is missing with kind efa",
      allowed: "the number of adapters, such as 32 for p5.48xlarge",
      fix: "Set devices to the number of adapters per node, or to the pod's share of them.",
    };
  if (kind === "efa" && !hasImage)
    yield {
      path: ["kind"],
      given: "is efa, but the engine's default image has no libfabric for NCCL",
      allowed: "an image with libfabric and aws-ofi-nccl",
      fix: "Set engine.image to such an image.",
    };
  for (const field of ["networks", "hcas", "gidIndex"] as const) {
    const isRead = field === "networks" ? kind === "sriov" : kind !== "efa";
    if (network[field] === undefined || isRead) continue;
    yield {
      path: [field],
      given: `is set with kind ${kind}`,
      allowed:
        field === "networks"
          ? "networks only with kind sriov"
          : `${field} only with kind rdma or sriov`,
      fix: `Remove ${field}.`,
    };
  }
}
