import { z } from "zod";
import { positiveInteger } from "../../../kubernetes/kinds/field-types.ts";
import { parseQuantity } from "../../../kubernetes/values/quantity.ts";
import type { Finding } from "../../invariant.ts";
import { onByDefault } from "../../schemas/argument.ts";
import type { ContainerShape } from "../../stack/shapes.ts";
import {
  acceleratorsOfContainer,
  acceleratorsOfPods,
  containersOf,
  type PodTemplateUse,
} from "../../stack/workloads.ts";
import {
  eachLeaderWorkerSet,
  eachPodTemplate,
  rulesOfPack,
  type StackRule,
} from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-gpu");

const sharedMemoryIsMounted = objectRule(
  { id: "shared-memory-is-mounted", guidelines: ["G25"], code: "reference", level: "advisory" },
  {
    title: "Engines on several GPUs mount /dev/shm, within their memory limit",
    why: "The default /dev/shm has 64 MiB. With it NCCL and the engine's workers fail or fall back to slow paths.",
    source: "sigs.k8s.io/lws vLLM example; KServe LLMInferenceService templates: volume dshm",
    fix: "Mount an emptyDir with medium Memory and a sizeLimit at /dev/shm, and raise the memory limit by that size.",
    parameters: z.object({
      sizeLimit: z.string().default("16Gi").describe("Size of /dev/shm that the remediation sets."),
    }),
  },
  eachPodTemplate,
  function* (pods) {
    // With hostIPC a container has the /dev/shm of its node.
    if (pods.spec.hostIPC === true) return;
    for (const { container, path } of containersOf(pods)) {
      if ((acceleratorsOfContainer(pods, container) ?? 0) < 2) continue;
      yield* sharedMemory(pods, container, path);
    }
  },
  function* (pods, { parameters: { sizeLimit } }) {
    const { volumes = [], hostIPC } = pods.spec;
    const name = "dshm";
    if (hostIPC === true || volumes.some((volume) => volume.name === name)) return;
    for (const { container, path } of containersOf(pods)) {
      const { volumeMounts = [], resources } = container;
      const devices = acceleratorsOfContainer(pods, container) ?? 0;
      if (devices < 2 || volumeMounts.some(isSharedMemory)) continue;
      const [size, limit] = [parseQuantity(sizeLimit), parseQuantity(resources?.limits?.memory)];
      // If /dev/shm does not fit into the memory limit, the limit must be raised, and a remediation does not decide
      // that.
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
      given: "do not mount /dev/shm",
      allowed: "an emptyDir with medium Memory at /dev/shm",
      fix: "Add the volume and its mount.",
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
      fix: "Set medium to Memory, because an emptyDir is on the node's disk by default.",
    };
  }
  if (sizeLimit === undefined) {
    yield {
      path: [...place, "sizeLimit"],
      given: "is missing",
      allowed: "a size within the container's memory limit",
      fix: "Add sizeLimit. Data in /dev/shm counts as memory of the container.",
    };
    return;
  }
  const [size, limit] = [parseQuantity(sizeLimit), parseQuantity(resources?.limits?.memory)];
  if (size === undefined || limit === undefined || size.nanos < limit.nanos) return;
  yield {
    path: [...place, "sizeLimit"],
    given: `is ${sizeLimit}`,
    allowed: `less than the memory limit, ${resources?.limits?.memory}`,
    fix: "Raise the memory limit by the size of /dev/shm.",
  };
}

const isRdma = (resource: string) =>
  /^(rdma\/|[\w.-]+\/(hca|rdma|ib|roce)[\w.-]*$)/i.test(resource);
const isHugePages = (resource: string) => resource.startsWith("hugepages-");

const rdmaIsAlike = objectRule(
  { id: "rdma-devices-match", guidelines: ["G30"], code: "conflict" },
  {
    title: "All pods of a group have the same RDMA devices and may lock memory",
    why: "A pod without RDMA devices falls back to TCP, which slows down the whole group or makes it fail.",
    source:
      "k8s.io/kubernetes: devices are per pod; KServe RoCE configuration: capability IPC_LOCK",
    fix: "Request the same devices in both templates, and add the capability IPC_LOCK or huge pages.",
  },
  eachLeaderWorkerSet,
  function* ({ pods }) {
    const [leader, worker] = pods;
    if (leader !== undefined && worker !== undefined) {
      const [of, as] = [rdmaOf(worker), rdmaOf(leader)];
      if (of !== as) {
        yield {
          path: [...worker.path, "spec", "containers"],
          given: `request ${of || "no RDMA devices"}, but the leader's containers request ${as || "none"}`,
          allowed: "the same devices in both templates",
          fix: "Change one of the two templates.",
        };
      }
    }
    for (const each of pods) yield* memoryIsLocked(each);
  },
);

/** Returns the RDMA devices of a pod, by resource name and amount. */
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
      given: "does not contain IPC_LOCK",
      allowed: "IPC_LOCK or huge pages for a container with RDMA devices",
      fix: "Add the capability IPC_LOCK.",
    };
  }
}

const hugePagesAreWhole = objectRule(
  { id: "huge-pages-are-limited", guidelines: ["G30"], code: "count" },
  {
    title: "Huge pages have equal requests and limits, and come with cpu or memory requests",
    why: "The API server rejects anything else.",
    source:
      "k8s.io/kubernetes pkg/apis/core/validation: HugePages require cpu or memory, limit equals request",
    fix: "Set limits and requests of huge pages to the same amount, and request memory and cpu.",
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
            allowed: `${request}, the same as the request`,
            fix: "Set limit and request to the same amount.",
          };
        }
        const others = { ...limits, ...requests };
        if (others.cpu === undefined && others.memory === undefined) {
          yield {
            path: [...path, "resources"],
            given: `contains ${resource}, but neither cpu nor memory`,
            allowed: "huge pages together with cpu or memory",
            fix: "Add requests for cpu and memory.",
          };
        }
      }
    }
  },
);

const hostIsNotShared = objectRule(
  { id: "host-is-not-shared", guidelines: ["G38"], code: "conflict" },
  {
    title: "GPU pods that can run on the same node do not share its network, ports or IPC",
    why: "Two engines on one node would conflict over ports or use each other's shared memory.",
    source: "k8s.io/kubernetes: hostNetwork, hostPort, hostIPC",
    fix: "Request all accelerators of a node per pod, or remove hostNetwork, hostPort and hostIPC. For RDMA without the host network, attach a second network.",
    parameters: z.object({
      gpusPerNode: positiveInteger
        .default(8)
        .describe(
          "Accelerators per node. Pods that request more than half of them cannot share a node.",
        ),
      allowHostIpc: onByDefault(
        "Whether hostIPC is allowed, which vLLM's guide names as an alternative to /dev/shm.",
      ),
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
      fix = "Remove the field.",
    ): Finding => ({ path: [...path, "spec", ...field], given: "is set", allowed, fix });
    if (spec.hostIPC === true && !allowHostIpc)
      yield finding(["hostIPC"], "a /dev/shm mount in the pod, or this rule's allowHostIpc");
    if (pods.count < 2) return;
    if (spec.hostNetwork === true)
      yield finding(
        ["hostNetwork"],
        "only on pods that request a whole node",
        "Request all accelerators of a node, or remove the field. For RDMA without the host network, attach a second network.",
      );
    for (const [at, { ports = [] }] of spec.containers.entries())
      for (const [port, { hostPort }] of ports.entries())
        if (hostPort !== undefined)
          yield finding(
            ["containers", at, "ports", port, "hostPort"],
            "only on pods that request a whole node",
          );
  },
);

export const podRules: readonly StackRule[] = [
  sharedMemoryIsMounted,
  rdmaIsAlike,
  hugePagesAreWhole,
  hostIsNotShared,
];
