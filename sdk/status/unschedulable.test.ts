import { expect, it } from "vitest";
import { shortageIn } from "./unschedulable.ts";

/** Messages of kube-scheduler 1.36.3 and Volcano 1.14.1 in a cluster of three nodes. */
it.each([
  [
    "kube-scheduler",
    "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    "of 3 nodes, 1 lacks free nvidia.com/gpu, 1 lacks the labels that the pods select, 1 has a taint that the pods do not tolerate",
  ],
  [
    "Volcano about a pod",
    "0/3 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient nvidia.com/gpu.",
    "of 3 nodes, 1 lacks the labels that the pods select, 2 lack free nvidia.com/gpu",
  ],
  [
    "Volcano about a gang",
    "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 4 Unschedulable. Origin reason is svc-inference-1-0: 0/3 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient nvidia.com/gpu.",
    "of 3 nodes, 1 lacks the labels that the pods select, 2 lack free nvidia.com/gpu",
  ],
  [
    "kube-scheduler before 1.36, about a taint",
    "0/8 nodes are available: 3 Insufficient nvidia.com/gpu, 5 node(s) had untolerated taint {nvidia.com/gpu: present}. preemption: 0/8 nodes are available: 8 Preemption is not helpful for scheduling.",
    "of 8 nodes, 3 lack free nvidia.com/gpu, 5 have the taint nvidia.com/gpu=present, which the pods do not tolerate",
  ],
  [
    "kube-scheduler about a taint without a value",
    "0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: }. preemption: 0/2 nodes are available.",
    "of 2 nodes, 2 have the taint dedicated, which the pods do not tolerate",
  ],
  [
    "kube-scheduler about a reason that has no words here",
    "0/2 nodes are available: 2 node(s) had volume node affinity conflict. preemption: none",
    "of 2 nodes, 2 had volume node affinity conflict",
  ],
  [
    "Volcano about a queue",
    "queue resource quota insufficient: insufficient cpu, insufficient nvidia.com/gpu",
    "the queue has too few free cpu, nvidia.com/gpu for the whole gang",
  ],
  [
    "Volcano about a gang without pods",
    "0/0 tasks in gang unschedulable: pod group is not ready, 5 minAvailable",
    "0 of the 5 pods of the gang exist",
  ],
  [
    "Volcano about a gang without its last pods",
    "3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 5 minAvailable; Pending: 3 Unschedulable",
    "3 of the 5 pods of the gang exist",
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
