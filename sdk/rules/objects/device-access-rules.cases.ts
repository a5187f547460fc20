import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { embedder, server } from "./places.fixture.ts";

const asks = (resource: string, amount = "1"): Edit => [
  embedder,
  `${server} resources`,
  { limits: { [resource]: amount } },
];
const pod = "spec template spec securityContext";
const amd = asks("amd.com/gpu");
const user: Edit = [embedder, pod, { runAsUser: 1000, fsGroup: 1000 }];
const env = (name: string, value: string): Edit => [embedder, `${server} env`, [{ name, value }]];

export const deviceAccessCases: readonly RuleCases[] = [
  {
    rule: "devices-are-readable",
    allows: {
      "the group render": [
        amd,
        [embedder, pod, { runAsUser: 1000, supplementalGroups: [993, 44] }],
      ],
      root: [amd, [embedder, `${server} securityContext runAsNonRoot`, false]],
      "another maker's devices": [asks("nvidia.com/gpu"), user],
      "a system group of the volumes": [amd, [embedder, pod, { runAsUser: 1000, fsGroup: 109 }]],
    },
    refuses: {
      "a user without the group": {
        edits: [amd, [embedder, `${server} securityContext runAsNonRoot`, false], user],
        finds: [
          "Deployment ml/embedder: spec.template.spec.securityContext.supplementalGroups: is missing for amd.com/gpu and user 1000; allowed: the number of the nodes' group render, such as 993, unless all users may open the device files. Add the number that `getent group render` prints on the nodes, or set mode 0666 with a udev rule.",
        ],
      },
      "the user of an image": {
        edits: [amd],
        finds: [
          "Deployment ml/embedder: spec.template.spec.securityContext.supplementalGroups: is missing for amd.com/gpu and a user other than root; allowed: the number of the nodes' group render, such as 993, unless all users may open the device files. Add the number that `getent group render` prints on the nodes, or set mode 0666 with a udev rule.",
        ],
      },
      "a user of an Intel GPU": {
        edits: [user, asks("gpu.intel.com/xe")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.securityContext.supplementalGroups: is missing for gpu.intel.com/xe and user 1000; allowed: the number of the nodes' group render, such as 993, unless all users may open the device files. Add the number that `getent group render` prints on the nodes, or set mode 0666 with a udev rule.",
        ],
      },
    },
  },
  {
    rule: "device-plugin-selects-devices",
    allows: {
      "indexes of the requested devices": [
        asks("nvidia.com/gpu", "2"),
        env("CUDA_VISIBLE_DEVICES", "0,1"),
      ],
      "all devices of a node": [asks("nvidia.com/gpu", "8"), env("NVIDIA_VISIBLE_DEVICES", "all")],
      "no devices": [[embedder, `${server} resources`, {}], env("NVIDIA_VISIBLE_DEVICES", "void")],
    },
    refuses: {
      "a slice by its identifier": {
        edits: [
          asks("nvidia.com/mig-2g.20gb"),
          env("CUDA_VISIBLE_DEVICES", "MIG-377e0049-554c-540b-93c6-d0976f8426cb"),
        ],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is "MIG-377e0049-554c-540b-93c6-d0976f8426cb" for CUDA_VISIBLE_DEVICES; allowed: no value, or indexes of the container\'s device: 0. Remove CUDA_VISIBLE_DEVICES. The device plugin selects the devices of the container.',
        ],
      },
      "an index above the container's devices": {
        edits: [amd, env("HIP_VISIBLE_DEVICES", "3")],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is "3" for HIP_VISIBLE_DEVICES; allowed: no value, or indexes of the container\'s device: 0. Remove HIP_VISIBLE_DEVICES. The device plugin selects the devices of the container.',
        ],
      },
      "devices of the node": {
        edits: [asks("nvidia.com/gpu"), env("NVIDIA_VISIBLE_DEVICES", "all")],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is "all" for NVIDIA_VISIBLE_DEVICES; allowed: no value: the device plugin sets the devices that the pod got. Remove NVIDIA_VISIBLE_DEVICES. The device plugin selects the devices of the container.',
        ],
      },
      "devices that the container does not request": {
        edits: [[embedder, `${server} resources`, {}], env("NVIDIA_VISIBLE_DEVICES", "all")],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: is "all" for NVIDIA_VISIBLE_DEVICES; allowed: a request for the devices in resources.limits instead, which the scheduler counts. Remove NVIDIA_VISIBLE_DEVICES. The device plugin selects the devices of the container.',
        ],
      },
    },
  },
];
