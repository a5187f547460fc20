import type { RuleCases } from "./edited-stack.fixture.ts";
import {
  decode,
  embedder,
  leader,
  leaderEngine,
  server,
  worker,
  workerEngine,
} from "./places.fixture.ts";

export const podCases: readonly RuleCases[] = [
  {
    rule: "shared-memory-is-mounted",
    allows: {
      "the /dev/shm of the host": [
        [decode, `${leader} spec hostIPC`, true],
        [decode, `${leaderEngine} volumeMounts`, undefined],
      ],
      "a mount path that ends in a slash": [
        [decode, `${leaderEngine} volumeMounts 0 mountPath`, "/dev/shm/"],
      ],
      "a volume that is not an emptyDir": [
        [decode, `${leader} spec volumes 0`, { name: "shm", persistentVolumeClaim: {} }],
      ],
      "a container without a memory limit": [
        [decode, `${leaderEngine} resources limits memory`, undefined],
      ],
    },
    refuses: {
      "an engine without /dev/shm": {
        edits: [[decode, `${leaderEngine} volumeMounts`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].volumeMounts: do not mount /dev/shm; allowed: an emptyDir with medium Memory at /dev/shm. Add the volume and its mount.",
        ],
      },
      "shared memory on the node's disk": {
        edits: [[decode, `${leader} spec volumes 0 emptyDir medium`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.volumes[0].emptyDir.medium: is missing; allowed: Memory. Set medium to Memory, because an emptyDir is on the node's disk by default.",
        ],
      },
      "shared memory without a size limit": {
        edits: [[decode, `${worker} spec volumes 0 emptyDir sizeLimit`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.volumes[0].emptyDir.sizeLimit: is missing; allowed: a size within the container's memory limit. Add sizeLimit. Data in /dev/shm counts as memory of the container.",
        ],
      },
      "shared memory as large as the memory limit": {
        edits: [[decode, `${leaderEngine} resources limits memory`, "64Gi"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.volumes[0].emptyDir.sizeLimit: is 64Gi; allowed: less than the memory limit, 64Gi. Raise the memory limit by the size of /dev/shm.",
        ],
      },
    },
  },
  {
    rule: "rdma-devices-match",
    allows: {
      "the capability with its CAP prefix": [
        [
          decode,
          `${leaderEngine} securityContext capabilities`,
          { drop: ["ALL"], add: ["CAP_IPC_LOCK"] },
        ],
      ],
      "a group without a template for its leader": [[decode, leader, undefined]],
      "a group without RDMA devices": [
        [decode, `${leaderEngine} resources limits rdma/hca`, undefined],
        [decode, `${workerEngine} resources limits rdma/hca`, undefined],
      ],
    },
    refuses: {
      "workers without the leader's RDMA devices": {
        edits: [[decode, `${workerEngine} resources limits rdma/hca`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers: request no RDMA devices, but the leader's containers request rdma/hca: 1; allowed: the same devices in both templates. Change one of the two templates.",
        ],
      },
      "workers with more RDMA devices than their leader": {
        edits: [[decode, `${workerEngine} resources limits rdma/hca`, "2"]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers: request rdma/hca: 2, but the leader's containers request rdma/hca: 1; allowed: the same devices in both templates. Change one of the two templates.",
        ],
      },
      "a leader with RDMA devices that may not lock memory": {
        edits: [[decode, `${leaderEngine} securityContext capabilities add`, undefined]],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].securityContext.capabilities.add: does not contain IPC_LOCK; allowed: IPC_LOCK or huge pages for a container with RDMA devices. Add the capability IPC_LOCK.",
        ],
      },
    },
  },
  {
    rule: "huge-pages-are-limited",
    allows: {
      "a limit of huge pages with memory": [
        [decode, `${leaderEngine} resources limits hugepages-2Mi`, "1Gi"],
      ],
      "larger huge pages with memory": [
        [embedder, `${server} resources limits memory`, "1Gi"],
        [embedder, `${server} resources limits hugepages-1Gi`, "2Gi"],
      ],
      "a request equal to the limit in another unit": [
        [decode, `${leaderEngine} resources limits hugepages-2Mi`, "1Gi"],
        [decode, `${leaderEngine} resources requests hugepages-2Mi`, "1024Mi"],
      ],
    },
    refuses: {
      "huge pages without cpu or memory": {
        edits: [[embedder, `${server} resources limits hugepages-2Mi`, "1Gi"]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].resources: contains hugepages-2Mi, but neither cpu nor memory; allowed: huge pages together with cpu or memory. Add requests for cpu and memory.",
        ],
      },
      "a request of huge pages without a limit": {
        edits: [[decode, `${leaderEngine} resources requests hugepages-2Mi`, "1Gi"]],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].resources.limits["hugepages-2Mi"]: is missing; allowed: 1Gi, the same as the request. Set limit and request to the same amount.',
        ],
      },
      "a request of huge pages below the limit": {
        edits: [
          [decode, `${leaderEngine} resources limits hugepages-2Mi`, "1Gi"],
          [decode, `${leaderEngine} resources requests hugepages-2Mi`, "512Mi"],
        ],
        finds: [
          'LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.leaderTemplate.spec.containers[0].resources.limits["hugepages-2Mi"]: is 1Gi; allowed: 512Mi, the same as the request. Set limit and request to the same amount.',
        ],
      },
    },
  },
  {
    rule: "host-is-not-shared",
    allows: {
      "the host's network for a pod that takes its whole node": [
        [decode, `${leader} spec hostNetwork`, true],
      ],
      "the host's IPC, which replaces a mount of /dev/shm": [
        [embedder, "spec template spec hostIPC", true],
      ],
      "hostNetwork false": [[embedder, "spec template spec hostNetwork", false]],
      "a host port of a single pod": [
        [embedder, "spec replicas", 1],
        [embedder, `${server} ports 0 hostPort`, 8080],
      ],
    },
    refuses: {
      "the host's network for pods that may run on the same node": {
        edits: [[embedder, "spec template spec hostNetwork", true]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.hostNetwork: is set; allowed: only on pods that request a whole node. Request all accelerators of a node, or remove the field. For RDMA without the host network, attach a second network.",
        ],
      },
      "a host port of pods that may run on the same node": {
        edits: [[embedder, `${server} ports 0 hostPort`, 8080]],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].ports[0].hostPort: is set; allowed: only on pods that request a whole node. Remove the field.",
        ],
      },
      "the host's network for pods with half of a node": {
        edits: [
          [embedder, `${server} resources limits`, { "nvidia.com/gpu": "4" }],
          [embedder, "spec template spec hostNetwork", true],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.hostNetwork: is set; allowed: only on pods that request a whole node. Request all accelerators of a node, or remove the field. For RDMA without the host network, attach a second network.",
        ],
      },
    },
  },
];
