/** What keeps inference on GPUs starting and serving, and what upholds each of it. */
export interface Guideline {
  readonly id: string;
  readonly says: string;
  /** Rules of an InferenceService that do. Rules of a stack name their guidelines themselves. */
  readonly schema?: readonly string[];
  /** Checks of `pulumi-inference doctor`: what only the cluster knows. */
  readonly doctor?: readonly string[];
  /** Tests of what an update does, and in which order: file and title. */
  readonly lifecycle?: readonly (readonly [file: string, title: string])[];
}

const ofService = (id: string, says: string, ...schema: string[]): Guideline => ({
  id,
  says,
  schema,
});

export const guidelines: readonly Guideline[] = [
  ofService(
    "G01",
    "GPU limits are whole numbers, and requests equal them",
    "accelerators-are-whole-and-limited",
  ),
  ofService(
    "G02",
    "One container of a pod has its GPUs, and all pods of a role have the same number",
    "multi-node-has-accelerators",
  ),
  ofService(
    "G03",
    "Nodes times GPUs are the engine's parallel sizes",
    "executor-is-not-contradicted",
    "executor-fits-the-engine",
  ),
  ofService("G04", "Data parallel copies fill the pods of a replica, without pipeline stages"),
  ofService(
    "G05",
    "Leader and workers name the PodGroup of the stack, and Volcano as their scheduler",
    "gang-annotations-are-not-set",
    "gang-has-a-gang-scheduler",
  ),
  ofService("G06", "All pods of a PodGroup have one scheduler", "template-agrees-with-strategy"),
  ofService(
    "G07",
    "minMember is at most the pods there are, and at least the sum of its tasks",
    "min-replicas-within-replicas",
    "task-layout-starts-all-replicas",
  ),
  ofService("G08", "A PodGroup has minTaskMember or subGroupPolicy"),
  ofService("G09", "Sub-group policies select pods that nobody else selects, by replica"),
  ofService("G10", "A sub-group is a replica, and minMember the sum of those needed"),
  ofService(
    "G11",
    "A gang needs no more replicas than there are, also when they are scaled",
    "min-replicas-within-replicas",
  ),
  ofService(
    "G12",
    "Prefill and decode both run, or neither",
    "prefillers-and-decoders-pair",
    "pair-scales-to-zero-together",
  ),
  ofService("G13", "minResources is what the minimum asks for"),
  ofService("G14", "A leader does not wait for a gang that waits for its workers"),
  ofService("G15", "A gang asks for no exclusive topology", "gang-has-no-exclusive-topology"),
  {
    id: "G16",
    says: "LeaderWorkerSet's own gang provider is off beside gangs of a service",
    doctor: ["lws-gang-provider"],
  },
  {
    id: "G17",
    says: "Volcano schedules sub-groups: 1.14.1 or later, with the field",
    doctor: ["volcano-scheduler-version", "crd-podgroup"],
  },
  ofService(
    "G18",
    "Names of workloads leave room for those of their pods and labels",
    "workload-names-fit",
    "service-name-is-dns-label",
    "role-name-is-dns-label",
  ),
  ofService(
    "G19",
    "No two objects get one name, generated ones included",
    "generated-names-are-unique",
    "role-is-not-named-epp",
  ),
  ofService("G20", "A PodGroup's name stands once in a namespace, that of its pods"),
  ofService("G21", "The rolling update is written out, and can move"),
  ofService("G22", "A group of several pods restarts as one"),
  ofService(
    "G23",
    "Workers have no network probe; leaders are ready when they serve",
    "leader-probes-ask-the-engine",
  ),
  ofService(
    "G24",
    "Groups meet at their own leader, on a port that serves nothing else",
    "group-port-is-free",
  ),
  ofService("G25", "Engines over several GPUs have a /dev/shm of their own"),
  ofService("G26", "Models have the time to load, and requests to end"),
  ofService("G27", "A PodGroup and its pods have one priority", "gang-priority-is-on-the-strategy"),
  {
    id: "G28",
    says: "The queue exists, is open, and may hold the gang's minimum",
    schema: ["queue-needs-volcano"],
    doctor: ["volcano-default-queue"],
  },
  ofService("G29", "Disruption budgets count whole groups"),
  ofService("G30", "RDMA devices are alike in a group, memory may be locked, huge pages are whole"),
  ofService("G31", "A topology names one tier; sub-groups divide a group"),
  ofService("G32", "Images are fixed, and the same for prefill and decode"),
  ofService(
    "G33",
    "The key-value transfer is there, is valid and fits the role",
    "pair-transfers-blocks",
  ),
  ofService("G34", "A shell does not change the engine's arguments", "engine-command-is-argv"),
  ofService("G35", "Leader and workers may run on the same nodes"),
  ofService("G36", "An autoscaler scales whole roles, alone"),
  ofService("G37", "Pod templates carry no revision"),
  ofService("G38", "GPU pods share neither port nor memory of a host"),
  ofService("G39", "Quotas and nodes have room for the gang's minimum"),
  {
    id: "G40",
    says: "LeaderWorkerSets have one controller",
    doctor: ["lws-second-controller"],
  },
  {
    id: "G41",
    says: "The PodGroup comes before its pods, and goes after them",
    lifecycle: [
      ["test/lifecycle/edits.test.ts", "creates the PodGroup first, then LeaderWorkerSets"],
      [
        "test/lifecycle/edits.test.ts",
        "destroy leaves nothing, and deletes workloads before their PodGroup",
      ],
    ],
  },
  {
    id: "G42",
    says: "Scaling never leaves a gang that needs more than there is",
    lifecycle: [
      [
        "test/lifecycle/edits.test.ts",
        "scaling under task grows the PodGroup before replicas come and shrinks it before they go",
      ],
      ["test/lifecycle/edits.test.ts", "scaling to zero and back keeps the PodGroup"],
    ],
  },
];
