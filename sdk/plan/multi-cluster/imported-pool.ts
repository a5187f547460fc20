import { groups } from "../../../kubernetes/kinds/groups.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { BackendRef, ParentBackend } from "../../gateways/gateway.ts";
import { importSupportOf } from "../../gateways/index.ts";
import { backendTlsPolicy } from "../../manifests/backend-tls-policy.ts";
import {
  clientCertificateName,
  importedRouteName,
  importGrantName,
  importPickerOwner,
  importTlsPolicyName,
  label,
  parentBackendName,
} from "../../names.ts";
import type { ImportedPoolSpec, ImportPicker } from "../../spec/imported-pool.ts";
import { programPodsOf } from "../../spec/program-pods.ts";
import { defaultRuntimeImage } from "../../topology/runtime-image.ts";
import type { Parsed } from "../../validate/spec-kind.ts";
import { planPickerCertificate } from "../certificate.ts";
import { clusterObjectMeta, objectMeta } from "../object-meta.ts";
import type { PlanOptions } from "../options.ts";
import { planEndpointPicker } from "../picker/endpoint-picker.ts";
import { planGlobalPicker } from "../picker/global-picker.ts";
import { importGateway } from "../picker/import-gateway.ts";
import { planImportPool } from "../picker/import-pool.ts";
import { pickForImport } from "../picker/picker-task.ts";
import { planParentsAgent } from "../pools/parents-agent.ts";
import { importRules } from "./import-rules.ts";

type ImportedPool = Parsed<ImportedPoolSpec>;

const poolGroup = groups.inference;

/**
 * Plans an imported pool: the namespace and a picker for the import if requested, backends for other clusters'
 * gateways, the route, and the grants that the route needs. The controller, not the plan, creates the import.
 */
export function planImportedPool(pool: ImportedPool, options: PlanOptions = {}): Manifest[] {
  const { spec } = pool;
  return [
    ...(spec.createNamespace ? [namespace(pool)] : []),
    ...(spec.picker === undefined ? [] : importPicker(pool, spec.picker, options)),
    ...(importSupportOf(spec.gateway.type).backend?.isPlanned
      ? planGlobalPicker(pool, options)
      : []),
    ...parentBackends(pool).flatMap(({ objects }) => objects),
    ...(spec.tls === undefined ? [] : [tlsPolicy(pool, spec.tls)]),
    ...(isElsewhere(pool) ? referenceGrants(pool) : []),
    ...(spec.parentsAgent === undefined
      ? [route(pool)]
      : planParentsAgent(pool, spec.parentsAgent, options)),
  ];
}

const meta = ({ metadata }: ImportedPool, name: string) =>
  objectMeta({ metadata, owner: {} }, name);

const isElsewhere = ({ metadata, spec }: ImportedPool): boolean =>
  spec.routeNamespace !== undefined && spec.routeNamespace !== metadata.namespace;

const namespace = ({ metadata: { labels, namespace } }: ImportedPool): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: clusterObjectMeta(
    { metadata: { name: namespace, namespace, labels, annotations: {} }, owner: {} },
    namespace,
  ),
});

/**
 * Plans the picker of the import and the pool that refers to it. They have their own name, because this cluster may
 * have a pool of the same name with another picker.
 */
function importPicker(
  { metadata, spec }: ImportedPool,
  picker: ImportPicker,
  { runtimeImage = defaultRuntimeImage }: PlanOptions,
): Manifest[] {
  const context = {
    metadata: { ...metadata, name: importPickerOwner(metadata.name) },
    owner: { [label.pool]: metadata.name },
  };
  const { tls } = picker;
  const issuer = tls?.clientCertificateIssuer;
  const name = clientCertificateName(context.metadata.name);
  const shown = tls && issuer ? { ...tls, clientCertificateSecret: name } : tls;
  return [
    ...(issuer === undefined
      ? []
      : [planPickerCertificate(context, { name, usage: "client auth", issuer })]),
    ...planEndpointPicker(context, {
      task: pickForImport(metadata.name, { ...picker, tls: shown }, spec),
      replicas: picker.replicas,
      pods: { image: runtimeImage, ...programPodsOf(picker) },
      metricsAuth: picker.metricsAuth,
      networkPolicy: spec.networkPolicy,
      gateway: importGateway({ metadata, spec }),
      scheduling: {},
      serving: { drainSeconds: picker.drainSeconds },
    }),
    planImportPool(context),
  ];
}

function route(pool: ImportedPool): Manifest {
  const { metadata, spec } = pool;
  const { routeNamespace = metadata.namespace, parentRefs, hostnames } = spec;
  return {
    apiVersion: kinds.HTTPRoute.apiVersion,
    kind: "HTTPRoute",
    metadata: { ...meta(pool, importedRouteName(metadata.name)), namespace: routeNamespace },
    spec: present({
      parentRefs,
      hostnames,
      rules: importRules(spec, writtenRefs(pool)),
    }),
  };
}

/** Returns the backends of the parents; empty if the gateway supports none. */
function parentBackends({
  metadata,
  spec,
}: ImportedPool): Array<ParentBackend & { readonly weight: number }> {
  const { gateway, parents = [], routeNamespace = metadata.namespace } = spec;
  const support = importSupportOf(gateway.type).parents;
  if (support === undefined) return [];
  return parents.map(({ cluster, host, port, tls, weight }) => {
    const name = parentBackendName(metadata.name, cluster);
    const { namespace } = metadata;
    const backend = support.backend({
      name,
      namespace,
      routeNamespace,
      metadata: objectMeta({ metadata, owner: {} }, name),
      host,
      port,
      tls,
    });
    return { ...backend, weight };
  });
}

/** Returns the local pool first, then the backends for the other clusters. */
function backendRefs(pool: ImportedPool): Array<BackendRef & { weight: number }> {
  const { metadata, spec } = pool;
  const { name, namespace } = metadata;
  const elsewhere =
    spec.parents === undefined
      ? [{ ...importBackend(pool), namespace, weight: spec.weight }]
      : parentBackends(pool).map(({ ref, weight }) => ({ ...ref, weight }));
  const here =
    spec.local === undefined
      ? []
      : [{ group: poolGroup, kind: "InferencePool", name, namespace, weight: spec.local.weight }];
  return [...here, ...elsewhere];
}

/**
 * Returns the references as the route needs them: a namespace is set only if it differs from the namespace of the
 * route.
 */
const writtenRefs = (pool: ImportedPool) =>
  backendRefs(pool).map(({ group, kind, name, namespace, port, weight }) =>
    present({
      group,
      kind,
      name,
      namespace: isElsewhere(pool) ? namespace : undefined,
      port,
      weight,
    }),
  );

/** Returns the backend for the pools of other clusters, for a route without `parents`. */
function importBackend({ metadata: { name }, spec: { gateway, picker } }: ImportedPool) {
  if (picker !== undefined)
    return { group: poolGroup, kind: "InferencePool", name: importPickerOwner(name) };
  const { backend } = importSupportOf(gateway.type);
  if (backend === undefined) throw new Error(`${gateway.type} does not accept imports`);
  const { group, kind, isPlanned } = backend;
  return { group, kind, name: isPlanned ? importPickerOwner(name) : name };
}

const tlsPolicy = (pool: ImportedPool, tls: NonNullable<ImportedPoolSpec["tls"]>): Manifest =>
  backendTlsPolicy(meta(pool, importTlsPolicyName(pool.metadata.name)), importBackend(pool), tls);

/**
 * Uses v1beta1, the version that gateways watch and clusters store. A route that refers only to host names, as behind
 * Istio, needs no grant.
 */
function referenceGrants(pool: ImportedPool): Manifest[] {
  const { metadata, spec } = pool;
  const referents = new Set(
    backendRefs(pool)
      .filter(({ namespace }) => namespace !== undefined)
      .map(({ group, kind }) => JSON.stringify({ group, kind })),
  );
  if (referents.size === 0) return [];
  return [
    {
      apiVersion: kinds.ReferenceGrant.apiVersion,
      kind: "ReferenceGrant",
      metadata: meta(pool, importGrantName(metadata.name)),
      spec: {
        from: [
          {
            group: groups.gateway,
            kind: "HTTPRoute",
            namespace: spec.routeNamespace,
          },
        ],
        to: [...referents].map((kind) => JSON.parse(kind) as { group: string; kind: string }),
      },
    },
  ];
}
