import { kinds } from "../../../kubernetes/kinds/index.ts";
import { allow } from "../../../kubernetes/kinds/policy-rule.ts";
import { withKnownParts } from "../../../kubernetes/values/deferred.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { importSupportOf } from "../../gateways/index.ts";
import { importedRouteName, importName, label, parentsAgentName } from "../../names.ts";
import type { ImportedPoolSpec, ParentsAgent } from "../../spec/imported-pool.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { planDeployment } from "../programs/deployment.ts";
import { restrictedContainer } from "../programs/pod-security.ts";
import { programEnvironment, programResources } from "../programs/program-pods.ts";
import { planIdentity } from "../programs/service-account.ts";

type ImportedPool = Parsed<ImportedPoolSpec>;

/** Key of the ConfigMap from which the agent reads the imported pool. */
export const importedPoolKey = "imported-pool.json";

/**
 * Plans the agent that writes the route and its backends: its ServiceAccount and role, its ConfigMap, and its
 * Deployment.
 */
export function planParentsAgent(
  pool: ImportedPool,
  agent: ParentsAgent,
  { runtimeImage = defaultRuntimeImage }: PlanOptions,
): Manifest[] {
  const { metadata } = pool;
  const context: PlanContext = { metadata, owner: { [label.pool]: metadata.name } };
  const name = parentsAgentName(metadata.name);
  const ca = agent.tls?.caConfigMap;
  const pods = { image: runtimeImage, ...programPodsOf(agent) };
  return [
    ...planIdentity(context, name, { namespace: rulesOf(pool) }),
    {
      apiVersion: kinds.ConfigMap.apiVersion,
      kind: "ConfigMap",
      metadata: objectMeta(context, name),
      data: { [importedPoolKey]: textOf(pool) },
    },
    planDeployment(context, {
      name,
      podLabels: { [label.app]: name, ...context.owner },
      replicas: 1,
      pods,
      // During a rolling update, agents of two versions would overwrite each other's objects.
      strategy: { type: "Recreate" },
      containers: [
        {
          name: "agent",
          image: pods.image,
          args: [
            "parents-agent",
            `--import=${importName(metadata.name)}`,
            `--pool-namespace=${metadata.namespace}`,
            `--imported-pool=${name}`,
            ...probeArgs(agent),
          ],
          env: programEnvironment(pods),
          resources: programResources(pods),
          securityContext: restrictedContainer,
          ...(ca === undefined
            ? {}
            : { volumeMounts: [{ name: "ca", mountPath: caFolder, readOnly: true }] }),
        },
      ],
      volumes: ca === undefined ? undefined : [{ name: "ca", configMap: { name: ca } }],
    }),
  ];
}

const caFolder = "/certificates/parents";

/**
 * The agent has no access to Secrets. If a Secret has the gateways' CA, the agent only checks whether it can connect.
 */
const probeArgs = ({ tls, probe }: ParentsAgent): string[] => [
  ...(tls?.caConfigMap === undefined
    ? []
    : [`--parent-server-name=${tls.hostname}`, `--parent-ca-file=${caFolder}/ca.crt`]),
  ...(probe === undefined ? [] : [`--parent-probe-path=${probe.path}`]),
  ...(probe?.hostname === undefined ? [] : [`--parent-probe-host=${probe.hostname}`]),
];

/**
 * RBAC rules for the agent's namespace. `create` cannot be restricted by name. The agent does not change objects of
 * other owners.
 */
export function rulesOf({ metadata, spec }: ImportedPool): object[] {
  const backends = importSupportOf(spec.gateway.type).parents?.kinds ?? [];
  const route = { names: [importedRouteName(metadata.name)] };
  return [
    allow(["list", "watch"], [kinds.InferencePoolImport]),
    allow(["get"], [kinds.ConfigMap, kinds.ServiceAccount], {
      names: [parentsAgentName(metadata.name)],
    }),
    allow(["get", "patch"], [kinds.HTTPRoute], route),
    allow(["create"], [kinds.HTTPRoute]),
    allow(["get", "list", "create", "patch", "delete"], backends),
  ];
}

/** Returns the imported pool as JSON; deferred if a part of it is deferred. */
const textOf = ({ metadata, spec }: ImportedPool): unknown =>
  withKnownParts({ metadata, spec }, (known) => JSON.stringify(known));
