import {
  decoder,
  prefiller,
  router,
  service,
  vllmTemplate,
  worker,
} from "../../testing/samples/sample-service.ts";
import {
  annotated,
  multinode,
  type RefusedService,
  scheduledBy,
} from "./refused-service.fixture.ts";

const gang = (layout: string) => ({ schedulingStrategy: { gang: { layout } } });

/** Services with refused gangs, rollouts, autoscaling and labels, each with the path of its problem and one edit away from a valid service. */
export const refusedScheduling: readonly RefusedService[] = [
  [
    "scheduler of the template against the strategy",
    "roles[0].template.spec.schedulerName",
    service([worker({ template: scheduledBy("kube") })], {
      schedulingStrategy: { schedulerName: "volcano" },
    }),
  ],
  [
    "scheduler of the template against the gang",
    "roles[0].template.spec.schedulerName",
    service([worker({ multinode, template: scheduledBy("kube") })]),
  ],
  [
    "default scheduler in a gang",
    "schedulingStrategy.schedulerName",
    service([worker({ multinode })], {
      schedulingStrategy: { schedulerName: "default-scheduler" },
    }),
  ],
  [
    "rollout without a step",
    "roles[0].rollout.maxUnavailable",
    service([worker({ rollout: { maxUnavailable: 0 } })]),
  ],
  [
    "rollout that adds replicas to a LeaderWorkerSet per replica",
    "roles[0].rollout.maxSurge",
    service([worker({ multinode, rollout: { maxSurge: 1 } })]),
  ],
  [
    "a rollout gate without a router",
    "rollout.gate",
    service([worker()], { rollout: { gate: {} } }),
  ],
  [
    "a rollout gate with a shared picker",
    "roles[1].shared",
    service([worker(), router({ shared: { name: "pickers", port: 9100 } })], {
      rollout: { gate: {} },
    }),
  ],
  [
    "a rollout gate without followed responses",
    "roles[1].followResponses",
    service([worker(), router({ followResponses: false })], { rollout: { gate: {} } }),
  ],
  [
    "autoscaling without a router",
    "autoscaling",
    service([worker()], { autoscaling: { maxUnits: 2 } }),
  ],
  [
    "autoscaling with a shared picker",
    "roles[1].shared",
    service([worker(), router({ shared: { name: "team", port: 9002 } })], {
      autoscaling: { maxUnits: 2 },
    }),
  ],
  [
    "autoscaling without flow control",
    "roles[1].flowControl.enabled",
    service([worker(), router({ flowControl: { enabled: false } })], {
      autoscaling: { maxUnits: 2 },
    }),
  ],
  [
    "autoscaling of a LeaderWorkerSet per replica",
    "workload",
    service([worker({ multinode }), router()], { autoscaling: { maxUnits: 2 } }),
  ],
  [
    "autoscaling without a limit",
    "autoscaling.maxUnits",
    service([worker(), router()], { autoscaling: {} }),
  ],
  [
    "autoscaling with two limits",
    "autoscaling.maxUnits",
    service([worker(), router()], { autoscaling: { maxUnits: 2, maxAccelerators: 16 } }),
  ],
  [
    "autoscaling with a budget below one unit",
    "autoscaling.maxAccelerators",
    service([prefiller(), decoder({ replicas: 2 }), router()], {
      workload: "perRole",
      autoscaling: { maxAccelerators: 16 },
    }),
  ],
  [
    "autoscaling with a minimum above its maximum",
    "autoscaling.maxUnits",
    service([worker(), router()], { autoscaling: { minUnits: 3, maxUnits: 2 } }),
  ],
  [
    "autoscaling below the minimum of a gang",
    "roles[0].minReplicas",
    service([worker({ multinode, replicas: 3, minReplicas: 2 }), router()], {
      workload: "perRole",
      autoscaling: { maxUnits: 4 },
    }),
  ],
  [
    "autoscaling to zero by a HorizontalPodAutoscaler",
    "autoscaling.minUnits",
    service([worker(), router()], { autoscaling: { minUnits: 0, maxUnits: 4, scaler: "hpa" } }),
  ],
  [
    "queue without Volcano",
    "schedulingStrategy.queue",
    service([worker()], { schedulingStrategy: { queue: "q" } }),
  ],
  [
    "network topology without a gang",
    "schedulingStrategy.gang.networkTopology",
    service([worker()], { schedulingStrategy: { gang: { networkTopology: {} } } }),
  ],
  [
    "network topology of gang layout task",
    "schedulingStrategy.gang.networkTopology",
    service([worker({ multinode })], {
      schedulingStrategy: { gang: { layout: "task", networkTopology: {} } },
    }),
  ],
  [
    "network topology with two tiers",
    "schedulingStrategy.gang.networkTopology.highestTierName",
    service([worker({ multinode })], {
      schedulingStrategy: {
        gang: { networkTopology: { highestTierAllowed: 1, highestTierName: "rack" } },
      },
    }),
  ],
  [
    "priority on one role of a gang",
    "roles[0].template.spec.priorityClassName",
    service([
      worker({
        multinode,
        template: { spec: { ...vllmTemplate().spec, priorityClassName: "high" } },
      }),
    ]),
  ],
  [
    "reserved label of the design",
    'roles[0].template.metadata.labels["fusioninfer.io/service"]',
    service([
      worker({
        template: { ...vllmTemplate(), metadata: { labels: { "fusioninfer.io/service": "x" } } },
      }),
    ]),
  ],
  [
    "reserved label of the controller",
    'roles[0].template.metadata.labels["leaderworkerset.sigs.k8s.io/name"]',
    service([
      worker({
        template: {
          ...vllmTemplate(),
          metadata: { labels: { "leaderworkerset.sigs.k8s.io/name": "x" } },
        },
      }),
    ]),
  ],
  [
    "reserved label on the service",
    'metadata.labels["fusioninfer.io/revision"]',
    {
      metadata: { name: "svc", labels: { "fusioninfer.io/revision": "1" } },
      spec: service([worker()]).spec,
    },
  ],
  [
    "gang annotation in a gang",
    'roles[0].template.metadata.annotations["volcano.sh/task-spec"]',
    service([worker({ multinode, template: annotated({ "volcano.sh/task-spec": "x" }) })]),
  ],
  [
    "exclusive topology in a gang",
    'roles[0].template.metadata.annotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]',
    service([
      worker({
        multinode,
        template: annotated({ "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" }),
      }),
    ]),
  ],
  [
    "task layout with one workload per role",
    "workload",
    service([worker({ multinode })], { workload: "perRole", ...gang("task") }),
  ],
  [
    "task layout with a minimum",
    "roles[0].minReplicas",
    service([worker({ multinode, replicas: 2, minReplicas: 1 })], gang("task")),
  ],
  ["unknown gang layout", "schedulingStrategy.gang.layout", service([worker()], gang("pairs"))],
];
