import { expect, it } from "vitest";
import { shortageIn } from "./unschedulable.ts";

/** Messages of kube-scheduler 1.36.3 and Volcano 1.14.1 in a cluster of three nodes. */
it.each([
  [
    "kube-scheduler",
    "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    "of 3 nodes, 1 lacks free nvidia.com/gpu, 1 didn't match Pod's node affinity/selector, 1 had untolerated taint(s)",
  ],
  [
    "Volcano about a pod",
    "0/3 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient nvidia.com/gpu.",
    "of 3 nodes, 1 didn't match Pod's node affinity/selector, 2 lack free nvidia.com/gpu",
  ],
  [
    "Volcano about a gang",
    "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 4 Unschedulable. Origin reason is svc-inference-1-0: 0/3 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient nvidia.com/gpu.",
    "of 3 nodes, 1 didn't match Pod's node affinity/selector, 2 lack free nvidia.com/gpu",
  ],
  [
    "kube-scheduler before 1.36, about a taint",
    "0/8 nodes are available: 3 Insufficient nvidia.com/gpu, 5 node(s) had untolerated taint {nvidia.com/gpu: present}. preemption: 0/8 nodes are available: 8 Preemption is not helpful for scheduling.",
    "of 8 nodes, 3 lack free nvidia.com/gpu, 5 had untolerated taint {nvidia.com/gpu: present}",
  ],
  [
    "kube-scheduler about a volume",
    'persistentvolumeclaim "cache" not found',
    'persistentvolumeclaim "cache" not found',
  ],
  [
    "kube-scheduler about a volume, for all nodes",
    "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    "pod has unbound immediate PersistentVolumeClaims",
  ],
])("shortageIn shortens the message of %s", (_, message, expected) =>
  expect(shortageIn(message)).toBe(expected),
);
