import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import type { FindingText } from "../../invariant.ts";
import { acceleratorsOfContainer, containersOf, engineOfPods } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

/** Resources whose devices are in /dev/dri, which the group render of the host owns. */
const ofRenderGroup = /^(amd\.com|gpu\.intel\.com)\//;

/** Highest number of a group that an operating system gives to a service. */
const lastSystemGroup = 999;

interface Identity {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
}

const devicesAreReadable = objectRule(
  { id: "devices-are-readable", code: "conflict", level: "advisory" },
  {
    title: "A user other than root belongs to the group of its GPU's device files",
    why: "On most hosts /dev/kfd and /dev/dri belong to root and the group render. Another user without the group finds no GPU.",
    source: "AMDResearch/aup-learning-cloud#67; ROCm/k8s-device-plugin#39; Intel device plugins",
    fix: "Add the numbers of the nodes' groups render and video to supplementalGroups, or set mode 0666 with a udev rule on the nodes.",
  },
  eachPodTemplate,
  function* (pods) {
    const { spec, path } = pods;
    for (const { container } of containersOf(pods)) {
      const resource = Object.entries(container.resources?.limits ?? {}).find(
        ([name, amount]) => ofRenderGroup.test(name) && parseQuantity(amount)?.nanos !== 0n,
      )?.[0];
      if (resource === undefined) continue;
      const identity = { ...spec.securityContext, ...container.securityContext } as Identity;
      const { runAsUser: user, runAsNonRoot } = identity;
      if (user === 0 || (user === undefined && runAsNonRoot !== true)) continue;
      if (hasDeviceGroup(identity)) continue;
      yield {
        path: [...path, "spec", "securityContext", "supplementalGroups"],
        given: `is missing for ${resource} and ${user === undefined ? "a user other than root" : `user ${user}`}`,
        allowed:
          "the number of the nodes' group render, such as 993, unless all users may open the device files",
        fix: "Add the number that `getent group render` prints on the nodes, or set mode 0666 with a udev rule.",
      };
      return;
    }
  },
);

const hasDeviceGroup = ({ supplementalGroups = [], fsGroup, runAsGroup }: Identity): boolean =>
  supplementalGroups.length > 0 ||
  [fsGroup, runAsGroup].some(
    (group) => group !== undefined && group > 0 && group <= lastSystemGroup,
  );

/** Variables that select some devices of the container, by index from 0. */
const ofContainer = new Set([
  "CUDA_VISIBLE_DEVICES",
  "HIP_VISIBLE_DEVICES",
  "ROCR_VISIBLE_DEVICES",
  "GPU_DEVICE_ORDINAL",
  "ZE_AFFINITY_MASK",
  "ASCEND_RT_VISIBLE_DEVICES",
  "HABANA_VISIBLE_MODULES",
  "TPU_VISIBLE_CHIPS",
  "TPU_VISIBLE_DEVICES",
  "MUSA_VISIBLE_DEVICES",
]);
/** Variables that select devices of the node for the container. */
const ofNode = new Set([
  "NVIDIA_VISIBLE_DEVICES",
  "ASCEND_VISIBLE_DEVICES",
  "HABANA_VISIBLE_DEVICES",
  "AMD_VISIBLE_DEVICES",
  "MTHREADS_VISIBLE_DEVICES",
]);

const pluginSelectsDevices = objectRule(
  { id: "device-plugin-selects-devices", code: "conflict", level: "advisory" },
  {
    title: "A template does not select the devices of its pods",
    why: "The device plugin selects the devices of each pod. A fixed device may belong to another node or another pod, and vLLM cannot read identifiers such as MIG-....",
    source: "NVIDIA/k8s-device-plugin; vllm-project/vllm#41848: device_id_to_physical_device_id",
    fix: "Remove the variable. The device plugin sets it for each container.",
  },
  eachPodTemplate,
  function* (pods) {
    const engine = engineOfPods(pods);
    for (const { container, path } of containersOf(pods)) {
      const devices = acceleratorsOfContainer(pods, container);
      if (devices === 0 && container !== engine?.container) continue;
      for (const [at, { name, value }] of (container.env ?? []).entries()) {
        const problem = value === undefined ? undefined : fixedDevices(name, value, devices);
        if (problem !== undefined) yield { path: [...path, "env", at, "value"], ...problem };
      }
    }
  },
);

function fixedDevices(
  name: string,
  value: string,
  devices: number | undefined,
): FindingText | undefined {
  const finding = (allowed: string) => ({
    given: `is ${JSON.stringify(value)} for ${name}`,
    allowed,
    fix: `Remove ${name}. The device plugin selects the devices of the container.`,
  });
  if (value.includes("$")) return undefined;
  if (ofNode.has(name)) {
    if (devices !== 0)
      return value === "all" && wholeNode(devices)
        ? undefined
        : finding("no value: the device plugin sets the devices that the pod got");
    return /^(|void|none)$/.test(value)
      ? undefined
      : finding(
          "a request for the devices in resources.limits instead, which the scheduler counts",
        );
  }
  if (!ofContainer.has(name) || devices === 0) return undefined;
  const ids = value.split(",").map((id) => id.trim());
  const isWithin = ids.every(
    (id) => /^\d+(\.\d+)?$/.test(id) && (devices === undefined || Number(id) < devices),
  );
  return isWithin
    ? undefined
    : finding(
        devices === undefined
          ? "no value, or indexes of the container's devices"
          : `no value, or indexes of the container's ${devices === 1 ? "device: 0" : `devices: 0 to ${devices - 1}`}`,
      );
}

/** Whether a container has all devices of a usual node, so that it shares them with no other pod. */
const wholeNode = (devices: number | undefined): boolean => devices !== undefined && devices >= 8;

export const deviceAccessRules: readonly StackRule[] = [devicesAreReadable, pluginSelectsDevices];
