/** Report of a scheduler about pods that it cannot place. */
export interface SchedulerReport {
  readonly title: string;
  /** Phase and `Unschedulable` condition of the PodGroup, if the pods form a gang. */
  readonly podGroup?: { readonly phase: string; readonly message?: string };
  /** Different `PodScheduled` conditions of the pods. */
  readonly pods: ReadonlyArray<{ readonly reason: string; readonly message: string }>;
  /** Messages of the PodGroup's events with reason Unschedulable, the oldest first. */
  readonly events: readonly string[];
  /** The shortage as a status describes it. */
  readonly words: string;
}

/**
 * Recorded from Volcano 1.14.1 and kube-scheduler 1.36.3 with planned services; nodes and kubelets were stand-ins.
 */
export const schedulerReports: readonly SchedulerReport[] = [
  {
    title: "five nodes of 8 GPUs are needed, four exist",
    podGroup: {
      phase: "Pending",
      message:
        "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable",
      },
    ],
    events: [
      "resource in cluster is overused: overused nvidia.com/gpu",
      "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable",
    ],
    words: "the cluster has too few free nvidia.com/gpu for the whole gang",
  },
  {
    title: "every node has a taint",
    podGroup: {
      phase: "Inqueue",
      message:
        "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable. Origin reason is svc-inference-0-0: 0/5 nodes are unavailable: 5 node(s) had untolerated taint {nvidia.com/gpu: present}.",
    },
    pods: [
      {
        reason: "Unschedulable",
        message:
          "0/5 nodes are unavailable: 5 node(s) had untolerated taint {nvidia.com/gpu: present}.",
      },
      {
        reason: "Unschedulable",
        message:
          "pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable. Origin reason is svc-inference-0-0: 0/5 nodes are unavailable: 5 node(s) had untolerated taint {nvidia.com/gpu: present}.",
      },
    ],
    events: [
      "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable. Origin reason is svc-inference-0-0: 0/5 nodes are unavailable: 5 node(s) had untolerated taint {nvidia.com/gpu: present}.",
    ],
    words: "of 5 nodes, 5 have the taint nvidia.com/gpu=present, which the pods do not tolerate",
  },
  {
    title: "every node lacks a label",
    podGroup: {
      phase: "Inqueue",
      message:
        "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable. Origin reason is svc-inference-0-0: 0/5 nodes are unavailable: 5 node(s) didn't match Pod's node affinity/selector.",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "0/5 nodes are unavailable: 5 node(s) didn't match Pod's node affinity/selector.",
      },
      {
        reason: "Unschedulable",
        message:
          "pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable. Origin reason is svc-inference-0-0: 0/5 nodes are unavailable: 5 node(s) didn't match Pod's node affinity/selector.",
      },
    ],
    events: [
      "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable. Origin reason is svc-inference-0-0: 0/5 nodes are unavailable: 5 node(s) didn't match Pod's node affinity/selector.",
    ],
    words: "of 5 nodes, 5 lack the labels that the pods select",
  },
  {
    title: "each node has another obstacle",
    podGroup: {
      phase: "Inqueue",
      message:
        "3/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 2 Schedulable, 3 Unschedulable. Origin reason is svc-inference-0-0-2: 0/6 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {nvidia.com/gpu: present}, 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu.",
    },
    pods: [
      {
        reason: "Schedulable",
        message:
          "Pod ns/svc-inference-0-0 can possibly be assigned to n16, once minAvailable is satisfied",
      },
      {
        reason: "Schedulable",
        message:
          "Pod ns/svc-inference-0-0-1 can possibly be assigned to n20, once minAvailable is satisfied",
      },
      {
        reason: "Unschedulable",
        message:
          "0/6 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {nvidia.com/gpu: present}, 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu.",
      },
      {
        reason: "Unschedulable",
        message:
          "pod group is not ready, 5 Pending, 5 minAvailable; Pending: 2 Schedulable, 3 Unschedulable. Origin reason is svc-inference-0-0-2: 0/6 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {nvidia.com/gpu: present}, 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu.",
      },
    ],
    events: [
      "0/0 tasks in gang unschedulable: pod group is not ready, 5 minAvailable",
      "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 2 Schedulable, 3 Unschedulable. Origin reason is svc-inference-0-0-2: 0/6 nodes are unavailable: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {nvidia.com/gpu: present}, 1 node(s) were unschedulable, 3 Insufficient nvidia.com/gpu.",
    ],
    words:
      "of 6 nodes, 1 lacks the labels that the pods select, 1 has the taint nvidia.com/gpu=present, which the pods do not tolerate, 1 is cordoned, 3 lack free nvidia.com/gpu",
  },
  {
    title: "every node has too few CPUs",
    podGroup: {
      phase: "Pending",
      message:
        "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable",
      },
    ],
    events: [
      "resource in cluster is overused: overused cpu",
      "5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending, 5 minAvailable; Pending: 5 Unschedulable",
    ],
    words: "the cluster has too few free cpu for the whole gang",
  },
  {
    title: "three of four nodes exist for a prefiller and a decoder",
    podGroup: {
      phase: "Pending",
      message:
        "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 4 Unschedulable",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "pod group is not ready, 4 Pending, 4 minAvailable; Pending: 4 Unschedulable",
      },
    ],
    events: [
      "resource in cluster is overused: overused nvidia.com/gpu",
      "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 4 Unschedulable",
    ],
    words: "the cluster has too few free nvidia.com/gpu for the whole gang",
  },
  {
    title: "the decoder finds no node, and the prefiller does",
    podGroup: {
      phase: "Inqueue",
      message:
        "2/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 2 Schedulable, 2 Unschedulable. Origin reason is svc-decode-0-0: 0/4 nodes are unavailable: 4 node(s) didn't match Pod's node affinity/selector.",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "0/4 nodes are unavailable: 4 node(s) didn't match Pod's node affinity/selector.",
      },
      {
        reason: "Unschedulable",
        message:
          "pod group is not ready, 4 Pending, 4 minAvailable; Pending: 2 Schedulable, 2 Unschedulable. Origin reason is svc-decode-0-0: 0/4 nodes are unavailable: 4 node(s) didn't match Pod's node affinity/selector.",
      },
      {
        reason: "Schedulable",
        message:
          "Pod ns/svc-prefill-0-0 can possibly be assigned to n31, once minAvailable is satisfied",
      },
      {
        reason: "Schedulable",
        message:
          "Pod ns/svc-prefill-0-0-1 can possibly be assigned to n32, once minAvailable is satisfied",
      },
    ],
    events: [
      "4/4 tasks in gang unschedulable: pod group is not ready, 4 Pending, 4 minAvailable; Pending: 2 Schedulable, 2 Unschedulable. Origin reason is svc-decode-0-0: 0/4 nodes are unavailable: 4 node(s) didn't match Pod's node affinity/selector.",
    ],
    words: "of 4 nodes, 4 lack the labels that the pods select",
  },
  {
    title: "the minimum runs, and one of two pods of a further replica finds a node",
    podGroup: { phase: "Running" },
    pods: [
      {
        reason: "Schedulable",
        message:
          "Pod ns/svc-inference-1-0 can possibly be assigned to n34, once minAvailable is satisfied",
      },
      {
        reason: "Unschedulable",
        message:
          "pod group is ready, 2 Pending, 2 Running, 2 minAvailable; Pending: 1 Schedulable, 1 Unschedulable",
      },
    ],
    events: [
      "2/4 tasks in gang unschedulable: pod group is ready, 2 Binding, 2 Pending, 2 minAvailable; Pending: 1 Schedulable, 1 Unschedulable",
    ],
    words: "1 of 2 waiting pods fits, and Volcano gives no reason for the other",
  },
  {
    title: "single pods, kube-scheduler",
    pods: [
      {
        reason: "Unschedulable",
        message:
          "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
      },
    ],
    events: [],
    words:
      "of 4 nodes, 1 has a taint that the pods do not tolerate, 1 is cordoned, 2 lack free nvidia.com/gpu",
  },
  {
    title: "single pods that select a label, kube-scheduler",
    pods: [
      {
        reason: "Unschedulable",
        message:
          "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      },
    ],
    events: [],
    words:
      "of 2 nodes, 1 lacks the labels that the pods select, 1 has a taint that the pods do not tolerate",
  },
  {
    title: "a cluster without nodes, kube-scheduler",
    pods: [{ reason: "Unschedulable", message: "no nodes available to schedule pods" }],
    events: [],
    words: "the cluster has no node",
  },
  {
    title: "a cluster without nodes, Volcano",
    podGroup: {
      phase: "Pending",
      message:
        "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable; Pending: 2 Unschedulable",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "pod group is not ready, 2 Pending, 2 minAvailable; Pending: 2 Unschedulable",
      },
    ],
    events: [
      "resource in cluster is overused: overused nvidia.com/gpu",
      "2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable; Pending: 2 Unschedulable",
    ],
    words: "the cluster has too few free nvidia.com/gpu for the whole gang",
  },
  {
    title: "another gang has the nodes",
    podGroup: {
      phase: "Pending",
      message:
        "3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; Pending: 3 Unschedulable",
    },
    pods: [
      {
        reason: "Unschedulable",
        message: "pod group is not ready, 3 Pending, 3 minAvailable; Pending: 3 Unschedulable",
      },
    ],
    events: [
      "0/3 tasks in gang unschedulable: pod group is ready, 3 Binding, 3 minAvailable",
      "resource in cluster is overused: overused nvidia.com/gpu",
      "3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending, 3 minAvailable; Pending: 3 Unschedulable",
    ],
    words: "the cluster has too few free nvidia.com/gpu for the whole gang",
  },
];
