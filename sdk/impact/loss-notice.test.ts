import { expect, it } from "vitest";
import {
  decoder,
  prefiller,
  router,
  service,
  worker,
} from "../../testing/samples/sample-service.ts";
import { planInferenceService } from "../plan/inference-service.ts";
import { lossNotices } from "./loss-notice.ts";

interface Edition {
  readonly roles: Parameters<typeof service>[0];
  readonly spec?: Parameters<typeof service>[1];
  readonly metadata?: object;
  /** Name of the component. */
  readonly component?: string;
}

/**
 * The plan by the resource names of components, which contain the name of the component instead of the name of the
 * service.
 */
function planOf({ roles, spec = {}, metadata, component = "svc" }: Edition) {
  const input = service(roles, spec);
  const named = { ...input.metadata, namespace: "ns", ...metadata };
  return new Map(
    planInferenceService({ ...input, metadata: named }).map((object) => [
      object.metadata.name.replace(named.name, `${component}-${object.kind.toLowerCase()}`),
      object,
    ]),
  );
}

const multinode = { nodeCount: 2 };
const three = [worker({ replicas: 3 }), router()];
const pair = (decoders: number) => [
  prefiller({ replicas: 2 }),
  decoder({ replicas: decoders, multinode }),
];
const autoscaled = { roles: [worker(), router()], spec: { autoscaling: { maxUnits: 8 } } };

it.each<readonly [string, Edition, Edition, readonly string[]]>([
  ["nothing", { roles: three }, { roles: three }, []],
  ["fewer replicas", { roles: three }, { roles: [worker({ replicas: 1 }), router()] }, []],
  ["fewer sets of a role", { roles: pair(4) }, { roles: pair(1) }, []],
  ["more sets of a role", { roles: pair(2) }, { roles: pair(5) }, []],
  [
    "another namespace",
    { roles: three },
    { roles: three, metadata: { namespace: "prod" } },
    [
      'InferenceService "svc": the update replaces LeaderWorkerSet ns/svc-inference because metadata.namespace changed: 3 replicas with 24 accelerators stop. A namespace cannot change in place. Create a second service in the new namespace, move its requests there, and then remove this one. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "another name of the service",
    { roles: three },
    { roles: three, metadata: { name: "other" } },
    [
      'InferenceService "svc": the update replaces LeaderWorkerSet ns/svc-inference because metadata.name changed: 3 replicas with 24 accelerators stop. Set metadata.name of the component to the old name. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "another name of a role",
    { roles: [worker()] },
    { roles: [worker({ name: "chat" })] },
    [
      'InferenceService "svc": the update deletes LeaderWorkerSet ns/svc-inference: 1 replica with 8 accelerators stops. The update creates role chat and deletes role inference. Keep the name of the role. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "another layout",
    { roles: three },
    { roles: three, spec: { workload: "perReplica" } },
    [
      'InferenceService "svc": the update deletes LeaderWorkerSet ns/svc-inference: 3 replicas with 24 accelerators stop. The update creates other LeaderWorkerSets for role inference. Keep `workload`, and do not change between one node and several. For another layout, create a second service, move its requests there, and then remove this one. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "a namespace of more sets than the warning names",
    { roles: pair(3) },
    { roles: pair(3), metadata: { namespace: "prod" } },
    [
      'InferenceService "svc": the update replaces LeaderWorkerSet ns/svc-prefill-0, ns/svc-prefill-1, ns/svc-decode-0, ns/svc-decode-1, 1 more because metadata.namespace changed: 5 replicas with 64 accelerators stop. A namespace cannot change in place. Create a second service in the new namespace, move its requests there, and then remove this one. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "the namespace of an autoscaled role",
    autoscaled,
    { ...autoscaled, metadata: { namespace: "prod" } },
    [
      'InferenceService "svc": the update replaces LeaderWorkerSet ns/svc-inference because metadata.namespace changed: all replicas that the autoscaler runs stop, with 8 accelerators each. A namespace cannot change in place. Create a second service in the new namespace, move its requests there, and then remove this one. `pulumi-inference impact` lists all objects.',
    ],
  ],
  [
    "a role without replicas",
    { roles: [worker({ replicas: 0 })] },
    { roles: [worker({ replicas: 0 })], metadata: { namespace: "prod" } },
    [],
  ],
])("an edit of %s causes the expected warnings", (_, before, after, expected) => {
  expect(lossNotices('InferenceService "svc"', planOf(before), planOf(after))).toEqual(expected);
});
