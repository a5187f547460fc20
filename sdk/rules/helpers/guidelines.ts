/** A guideline for starting and serving inference on GPUs, with the checks that uphold it. */
export interface Guideline {
  readonly id: string;
  readonly says: string;
  /** Ids of the rules on InferenceServices that uphold it. Rules on stacks name their guidelines themselves. */
  readonly schema?: readonly string[];
  /** Checks of `pulumi-inference doctor` that uphold it, for facts that only the cluster knows. */
  readonly doctor?: readonly string[];
  /** Tests that uphold it, on the operations of an update and their order: file and title. */
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
    "The parallel sizes of an engine match its number of GPUs",
    "executor-is-not-contradicted",
    "executor-fits-the-engine",
  ),
  ofService("G04", "Data-parallel ranks fill the pods of a replica, without pipeline stages"),
  ofService(
    "G05",
    "Leader and workers name the PodGroup of the stack, and Volcano as their scheduler",
    "gang-annotations-are-not-set",
    "gang-has-a-gang-scheduler",
  ),
  ofService(
    "G06",
    "All pods of a PodGroup have the same scheduler",
    "template-agrees-with-strategy",
  ),
  ofService(
    "G07",
    "minMember is at most the number of pods, and at least the sum of minTaskMember",
    "min-replicas-within-replicas",
    "task-layout-starts-all-replicas",
  ),
  ofService("G08", "A PodGroup has either minTaskMember or subGroupPolicy"),
  ofService("G09", "Sub-group policies select different pods, and distinguish replicas"),
  ofService("G10", "A sub-group is a replica, and minMember is the sum of the required sub-groups"),
  ofService(
    "G11",
    "A gang requires at most its number of replicas, also after scaling",
    "min-replicas-within-replicas",
  ),
  ofService(
    "G12",
    "Prefillers and decoders both run, or neither",
    "prefillers-and-decoders-pair",
    "pair-scales-to-zero-together",
  ),
  ofService("G13", "minResources is the sum of the requests of the minimum"),
  ofService("G14", "A leader does not wait for a gang that waits for its workers"),
  ofService("G15", "A gang does not use exclusive topology", "gang-has-no-exclusive-topology"),
  {
    id: "G16",
    says: "The gang provider of LeaderWorkerSet is off if services have gangs",
    doctor: ["lws-gang-provider"],
  },
  {
    id: "G17",
    says: "Volcano supports sub-groups: 1.14.1 or later, and its CRD has the field",
    doctor: ["volcano-scheduler-version", "crd-podgroup"],
  },
  ofService(
    "G18",
    "Workload names are short enough for the names of pods and labels",
    "workload-names-fit",
    "service-name-is-dns-label",
    "role-name-is-dns-label",
  ),
  ofService(
    "G19",
    "Object names are unique, including generated ones",
    "generated-names-are-unique",
    "role-is-not-named-epp",
  ),
  ofService("G20", "A PodGroup has a unique name and is in the namespace of its pods"),
  ofService("G21", "The rolling update is explicit and can make progress"),
  ofService("G22", "A group of several pods restarts as a whole"),
  ofService(
    "G23",
    "Workers have no network probe; leaders are ready when they serve",
    "leader-probes-ask-the-engine",
  ),
  ofService("G24", "Workers connect to their own leader, on a separate port", "group-port-is-free"),
  ofService("G25", "Engines on several GPUs mount /dev/shm"),
  ofService("G26", "Models have enough time to load, and requests to finish"),
  ofService(
    "G27",
    "A PodGroup and its pods have the same priority",
    "gang-priority-is-on-the-strategy",
  ),
  {
    id: "G28",
    says: "The queue exists, is open, and is large enough for the gang's minimum",
    schema: ["queue-needs-volcano"],
    doctor: ["volcano-default-queue"],
  },
  ofService("G29", "Disruption budgets count whole groups"),
  ofService(
    "G30",
    "Pods of a group have the same RDMA devices and may lock memory; huge pages have limits",
  ),
  ofService("G31", "A topology names one tier; sub-groups divide a group"),
  ofService("G32", "Images are fixed, and the same for prefill and decode"),
  ofService(
    "G33",
    "The KV cache transfer is configured, valid and fits the role",
    "pair-transfers-blocks",
  ),
  ofService("G34", "A shell does not change the engine's arguments", "engine-command-is-argv"),
  ofService("G35", "Leader and workers can run on the same nodes"),
  ofService("G36", "An autoscaler scales whole roles, and nothing else sets replicas"),
  ofService("G37", "Pod templates carry no revision"),
  ofService("G38", "GPU pods share neither ports nor memory of a host"),
  ofService("G39", "Quotas and nodes have enough capacity for the gang's minimum"),
  {
    id: "G40",
    says: "LeaderWorkerSets have one controller",
    doctor: ["lws-second-controller"],
  },
  {
    id: "G41",
    says: "The PodGroup is created before its pods and deleted after them",
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
    says: "Scaling never leaves a gang that requires more replicas than exist",
    lifecycle: [
      [
        "test/lifecycle/edits.test.ts",
        "scaling with layout 'task' patches the PodGroup before it creates or deletes replicas",
      ],
      [
        "test/lifecycle/edits.test.ts",
        "scaling to zero and back keeps the PodGroup and the budgets",
      ],
    ],
  },
];
