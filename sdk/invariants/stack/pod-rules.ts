import { z } from "zod";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import type { Finding } from "../../invariant.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import {
  acceleratorsOfContainer,
  acceleratorsOfPods,
  containersOf,
  type PodTemplateUse,
} from "../../stack/workloads.ts";
import { eachLeaderWorkerSet, eachPodTemplate, rulesOfPack, type StackRule } from "./stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const sharedMemoryIsMounted = objectRule(
  { id: "shared-memory-is-mounted", guidelines: ["G25"], code: "reference", level: "advisory" },
  {
    title: "Engines over several GPUs have their own /dev/shm, within their memory limit",
    why: "A container has 64 MiB of it otherwise: NCCL and the engine's workers fail or fall back to slow paths.",
    source: "sigs.k8s.io/lws vLLM example; KServe LLMInferenceService templates: volume dshm",
    fix: "Mount an emptyDir with medium Memory and a sizeLimit at /dev/shm, and raise the memory limit by it.",
    parameters: z.object({
      sizeLimit: z.string().default("16Gi").describe("Size that the remediation gives /dev/shm."),
    }),
  },
  eachPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      if ((acceleratorsOfContainer(pods, container) ?? 0) < 2) continue;
      yield* sharedMemory(pods, container, path);
    }
  },
  function* (pods, { parameters: { sizeLimit } }) {
    const { volumes = [] } = pods.spec;
    const name = "dshm";
    if (volumes.some((volume) => volume.name === name)) return;
    for (const { container, path } of containersOf(pods)) {
      const { volumeMounts = [], resources } = container;
      const devices = acceleratorsOfContainer(pods, container) ?? 0;
      if (devices < 2 || volumeMounts.some(isSharedMemory)) continue;
      const [size, limit] = [parseQuantity(sizeLimit), parseQuantity(resources?.limits?.memory)];
      // Without room for it the memory limit would have to grow, which is not ours to say.
      if (size === undefined || (limit !== undefined && size.nanos >= limit.nanos)) continue;
      yield {
        path: [...pods.path, "spec", "volumes", volumes.length],
        value: { name, emptyDir: { medium: "Memory", sizeLimit } },
      };
      yield {
        path: [...path, "volumeMounts", volumeMounts.length],
        value: { name, mountPath: "/dev/shm" },
      };
      return;
    }
  },
);

const isSharedMemory = ({ mountPath }: { readonly mountPath: string }) =>
  mountPath.replace(/\/$/, "") === "/dev/shm";

function* sharedMemory(
  { spec, path: template }: PodTemplateUse,
  { volumeMounts = [], resources }: ContainerShape,
  path: readonly (string | number)[],
): Iterable<Finding> {
  const mount = volumeMounts.find(isSharedMemory);
  const at = (spec.volumes ?? []).findIndex(({ name }) => name === mount?.name);
  const volume = spec.volumes?.[at];
  if (mount === undefined || volume === undefined) {
    yield {
      path: [...path, "volumeMounts"],
      given: "has no /dev/shm",
      allowed: "an emptyDir with medium Memory there",
      fix: "Add the volume and the mount.",
    };
    return;
  }
  if (volume.emptyDir === undefined) return;
  const { medium, sizeLimit } = volume.emptyDir;
  const place = [...template, "spec", "volumes", at, "emptyDir"];
  if (medium !== "Memory") {
    yield {
      path: [...place, "medium"],
      given: medium === undefined ? "is missing" : `is ${JSON.stringify(medium)}`,
      allowed: "Memory",
      fix: "Set it; the node's disk is not shared memory.",
    };
  }
  if (sizeLimit === undefined) {
    yield {
      path: [...place, "sizeLimit"],
      given: "is missing",
      allowed: "a size within the container's memory limit",
      fix: "Add it; what is written there counts as the container's memory.",
    };
    return;
  }
  const [size, limit] = [parseQuantity(sizeLimit), parseQuantity(resources?.limits?.memory)];
  if (size === undefined || limit === undefined || size.nanos < limit.nanos) return;
  yield {
    path: [...place, "sizeLimit"],
    given: `is ${sizeLimit}`,
    allowed: `less than the memory limit, ${resources?.limits?.memory}`,
    fix: "Raise the memory limit by it.",
  };
}

const isRdma = (resource: string) =>
  /^(rdma\/|[\w.-]+\/(hca|rdma|ib|roce)[\w.-]*$)/i.test(resource);
const isHugePages = (resource: string) => resource.startsWith("hugepages-");

const rdmaIsAlike = objectRule(
  { id: "rdma-devices-match", guidelines: ["G30"], code: "conflict" },
  {
    title: "All pods of a group have the same RDMA devices, and may lock memory",
    why: "A pod without them falls back to TCP, and the whole group runs at its speed or fails.",
    source:
      "k8s.io/kubernetes: devices are per pod; KServe RoCE configuration: capability IPC_LOCK",
    fix: "Ask for the same devices in both templates, and add the capability IPC_LOCK or huge pages.",
  },
  eachLeaderWorkerSet,
  function* ({ pods }) {
    const [leader, worker] = pods;
    if (leader !== undefined && worker !== undefined) {
      const [of, as] = [rdmaOf(worker), rdmaOf(leader)];
      if (of !== as) {
        yield {
          path: [...worker.path, "spec", "containers"],
          given: `ask for ${of || "no RDMA devices"}, those of the leader for ${as || "none"}`,
          allowed: "the same in both",
          fix: "Change one of them.",
        };
      }
    }
    for (const each of pods) yield* memoryIsLocked(each);
  },
);

/** Devices and claims by which a pod reaches its fabric. */
function rdmaOf({ spec }: PodTemplateUse): string {
  const devices = spec.containers.flatMap(({ resources }) =>
    Object.entries({ ...resources?.requests, ...resources?.limits })
      .filter(([resource]) => isRdma(resource))
      .map(([resource, amount]) => `${resource}: ${amount}`),
  );
  return devices.sort().join(", ");
}

function* memoryIsLocked(pods: PodTemplateUse): Iterable<Finding> {
  for (const { container, path } of containersOf(pods)) {
    const { resources, securityContext } = container;
    const names = Object.keys({ ...resources?.requests, ...resources?.limits });
    if (!names.some(isRdma)) continue;
    const { privileged = false, capabilities } = securityContext ?? {};
    const mayLock = capabilities?.add?.some((name) =>
      /^(CAP_)?(IPC_LOCK|SYS_ADMIN|ALL)$/.test(name),
    );
    if (privileged || mayLock || names.some(isHugePages)) continue;
    yield {
      path: [...path, "securityContext", "capabilities", "add"],
      given: "lacks IPC_LOCK",
      allowed: "IPC_LOCK, or huge pages, beside RDMA devices",
      fix: "Add it.",
    };
  }
}

const hugePagesAreWhole = objectRule(
  { id: "huge-pages-are-limited", guidelines: ["G30"], code: "count" },
  {
    title: "Huge pages are limited as requested, beside cpu or memory",
    why: "The API server refuses anything else.",
    source:
      "k8s.io/kubernetes pkg/apis/core/validation: HugePages require cpu or memory, limit equals request",
    fix: "Set limits and requests of huge pages to the same amount, and ask for memory and cpu.",
  },
  eachPodTemplate,
  function* (pods) {
    for (const { container, path } of containersOf(pods)) {
      const { limits = {}, requests = {} } = container.resources ?? {};
      for (const resource of Object.keys({ ...limits, ...requests }).filter(isHugePages)) {
        const [limit, request] = [limits[resource], requests[resource] ?? limits[resource]];
        if (limit === undefined || parseQuantity(limit)?.nanos !== parseQuantity(request)?.nanos) {
          yield {
            path: [...path, "resources", "limits", resource],
            given: limit === undefined ? "is missing" : `is ${limit}`,
            allowed: `the request, ${request}`,
            fix: "Set both to the same amount.",
          };
        }
        const others = { ...limits, ...requests };
        if (others.cpu === undefined && others.memory === undefined) {
          yield {
            path: [...path, "resources"],
            given: `has ${resource} and neither cpu nor memory`,
            allowed: "huge pages beside cpu or memory",
            fix: "Add requests for both.",
          };
        }
      }
    }
  },
);

const hostIsNotShared = objectRule(
  { id: "host-is-not-shared", guidelines: ["G38"], code: "conflict" },
  {
    title: "GPU pods that can meet on a node do not share its network, ports or IPC",
    why: "Two engines on one node would take the same port, or each other's shared memory.",
    source: "k8s.io/kubernetes: hostNetwork, hostPort, hostIPC",
    fix: "Let each pod take a whole node, or remove hostNetwork, hostPort and hostIPC. A second network gives pods RDMA devices without the host's network.",
    parameters: z.object({
      gpusPerNode: z
        .int()
        .min(1)
        .default(8)
        .describe("Accelerators of a node: pods that take more than half meet no other."),
      allowHostIpc: z.boolean().default(false).describe("Whether hostIPC is meant."),
    }),
  },
  eachPodTemplate,
  function* (pods, { parameters: { gpusPerNode, allowHostIpc } }) {
    const gpus = acceleratorsOfPods(pods) ?? 0;
    if (gpus === 0 || gpus * 2 > gpusPerNode) return;
    const { spec, path } = pods;
    const finding = (
      field: readonly (string | number)[],
      allowed: string,
      fix = "Remove it.",
    ): Finding => ({ path: [...path, "spec", ...field], given: "is set", allowed, fix });
    if (spec.hostIPC === true && !allowHostIpc)
      yield finding(["hostIPC"], "/dev/shm of the pod's own, or this rule's allowHostIpc");
    if (pods.count < 2) return;
    if (spec.hostNetwork === true)
      yield finding(
        ["hostNetwork"],
        "on pods that take a whole node each",
        "Ask for all accelerators of a node, or remove it: a second network gives pods RDMA devices without it.",
      );
    for (const [at, { ports = [] }] of spec.containers.entries())
      for (const [port, { hostPort }] of ports.entries())
        if (hostPort !== undefined)
          yield finding(
            ["containers", at, "ports", port, "hostPort"],
            "on pods that take a whole node each",
          );
  },
);

export const podRules: readonly StackRule[] = [
  sharedMemoryIsMounted,
  rdmaIsAlike,
  hugePagesAreWhole,
  hostIsNotShared,
];
