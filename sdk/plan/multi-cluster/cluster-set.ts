import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import {
  annotation,
  clusterSetMembersName,
  clusterSetTokenName,
  multiClusterControllerName as controller,
  label,
  manager,
  multiClusterHubName,
} from "../../names.ts";
import type { ClusterSetMemberSpec, ClusterSetSpec } from "../../spec/cluster-set.ts";
import type { Metadata } from "../../spec/inference-service.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { metricsAuthArg, planControllerWorkload } from "../controllers/controller-workload.ts";
import { fromNetworks, pagePeers } from "../network-policy.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { mayRead, planMetricsAuth } from "../programs/metrics-auth.ts";
import { planIdentity } from "../programs/service-account.ts";
import { digest } from "../revision.ts";
import { multiClusterHubRules, multiClusterMemberRules } from "./rbac.ts";

const contextOf = (metadata: PlanContext["metadata"]): PlanContext => ({
  metadata,
  owner: { [label.managedBy]: manager },
});

/**
 * Plans the controller's identity in a member: ServiceAccount, ClusterRole, binding, and a long-lived token if
 * requested. The kubeconfig that uses it is stored in a Secret in the controller's namespace.
 */
export function planClusterSetMember({ metadata, spec }: Parsed<ClusterSetMemberSpec>): Manifest[] {
  const context = contextOf(metadata);
  return [
    ...planIdentity(context, controller, { cluster: multiClusterMemberRules }),
    ...(spec.token ? [token(context)] : []),
  ];
}

/** A long-lived token; Kubernetes fills it in. */
function token(context: PlanContext): Manifest {
  const meta = objectMeta(context, clusterSetTokenName);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...meta,
      annotations: { ...meta.annotations, "kubernetes.io/service-account.name": controller },
    },
    type: "kubernetes.io/service-account-token",
  };
}

/**
 * Plans the controller in the hub: account, role for the Lease, members, Deployment, budget and Service, in this order.
 */
export function planClusterSet(
  { metadata, spec }: Parsed<ClusterSetSpec>,
  { runtimeImage = defaultRuntimeImage }: PlanOptions = {},
): Manifest[] {
  const context = contextOf(metadata);
  return [
    ...planIdentity(context, controller, {
      namespace: multiClusterHubRules(spec.controllerName),
    }),
    ...planMetricsAuth(context, multiClusterHubName, controller, [
      // `pulumi-inference clusters` authenticates as the controller, with a token that gives access only to its pages.
      mayRead("/debug/clusters"),
    ]),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: objectMeta(context, clusterSetMembersName),
      data: { "members.yaml": membersFile(spec) },
    },
    ...planControllerWorkload(context, {
      name: controller,
      program: "multi-cluster-controller",
      args: argumentsOf(metadata, spec),
      replicas: spec.replicas,
      pods: { image: runtimeImage, ...programPodsOf(spec) },
      // `pulumi-inference clusters` connects through the API server, which does not run in a pod.
      doors: spec.networkPolicy.enabled
        ? [{ from: pagesOfHub(spec), ports: [runtimePorts.metrics] }]
        : undefined,
      annotations: { [annotation.configChecksum]: digest(membersFile(spec)) },
      files: [
        {
          name: "members",
          mountPath: membersFolder,
          source: { configMap: { name: clusterSetMembersName } },
        },
        {
          name: "kubeconfigs",
          mountPath: kubeconfigFolder,
          source: { projected: { sources: spec.members.map(kubeconfigOf) } },
        },
      ],
    }),
  ];
}

const pagesOfHub = ({ networkPolicy }: ClusterSetSpec) =>
  networkPolicy.scraperNamespaces === undefined && networkPolicy.networks === undefined
    ? undefined
    : [...pagePeers(networkPolicy), ...fromNetworks(networkPolicy.networks)];

const membersFolder = "/etc/cluster-set";
const kubeconfigFolder = "/var/run/members";

/** JSON is valid YAML, and its format does not depend on a YAML library. */
const membersFile = ({ members }: ClusterSetSpec): string =>
  `${JSON.stringify(
    {
      members: members.map(({ name, kubeconfigSecret: _, key: __, context, ...policy }) =>
        present({
          name,
          kubeconfig: `${kubeconfigFolder}/${name}/kubeconfig`,
          context,
          ...policy,
        }),
      ),
    },
    null,
    2,
  )}\n`;

const kubeconfigOf = ({ name, kubeconfigSecret, key }: ClusterSetSpec["members"][number]) => ({
  secret: { name: kubeconfigSecret, items: [{ key, path: `${name}/kubeconfig` }] },
});

const limitFlags: Readonly<Record<keyof ClusterSetSpec["memberLimits"], string>> = {
  responseSize: "member-max-response-size",
  eventSize: "member-max-event-size",
  objectSize: "member-max-object-size",
  pages: "member-max-pages",
  listTimeout: "member-list-timeout",
  pools: "member-max-pools",
  routes: "member-max-routes",
  gateways: "member-max-gateways",
  objects: "member-max-objects",
};

const limitArgs = ({ memberLimits }: ClusterSetSpec): string[] =>
  Object.entries(limitFlags).flatMap(([limit, flag]) => {
    const value = memberLimits[limit as keyof typeof memberLimits];
    return value === undefined ? [] : [`--${flag}=${value}`];
  });

const argumentsOf = ({ namespace }: Metadata, spec: ClusterSetSpec): string[] => [
  `--members-file=${membersFolder}/members.yaml`,
  `--lease-namespace=${namespace}`,
  `--import-into-exporters=${spec.importIntoExporters}`,
  `--import-grace-period=${spec.importGracePeriod}`,
  metricsAuthArg(spec.metricsAuth),
  ...(spec.staleAfter === undefined ? [] : [`--stale-after=${spec.staleAfter}`]),
  ...(spec.controllerName === undefined ? [] : [`--controller-name=${spec.controllerName}`]),
  ...limitArgs(spec),
];
