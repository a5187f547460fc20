import type { Manifest } from "../kubernetes/manifest.ts";
import { present } from "../kubernetes/present.ts";
import type { ImportedParent, ImportedPoolSpec } from "../spec/imported-pool.ts";
import {
  importedRouteName,
  importGrantName,
  importTlsPolicyName,
  parentBackendName,
} from "../topology/names.ts";
import type { Parsed } from "../validate/spec-kind.ts";
import { objectMeta } from "./object-meta.ts";

type ImportedPool = Parsed<ImportedPoolSpec>;

const importGroup = "inference.networking.x-k8s.io";
const poolGroup = "inference.networking.k8s.io";

/**
 * The namespace where asked for, backends of other clusters' gateways, the route, and what lets the route refer to
 * them. The import is the controller's to make.
 */
export function planImportedPool(pool: ImportedPool): Manifest[] {
  const { spec } = pool;
  return [
    ...(spec.createNamespace ? [namespace(pool)] : []),
    ...(spec.parents ?? []).map((parent) => parentBackend(pool, parent)),
    ...(spec.tls === undefined ? [] : [tlsPolicy(pool, spec.tls)]),
    ...(isElsewhere(pool) ? [referenceGrant(pool)] : []),
    route(pool),
  ];
}

const meta = ({ metadata }: ImportedPool, name: string) =>
  objectMeta({ metadata, owner: {} }, name);

const isElsewhere = ({ metadata, spec }: ImportedPool): boolean =>
  spec.routeNamespace !== undefined && spec.routeNamespace !== metadata.namespace;

const namespace = ({ metadata }: ImportedPool): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: metadata.namespace, labels: { ...metadata.labels } },
});

function route(pool: ImportedPool): Manifest {
  const { metadata, spec } = pool;
  const { routeNamespace = metadata.namespace, parentRefs, hostnames, matches, filters } = spec;
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { ...meta(pool, importedRouteName(metadata.name)), namespace: routeNamespace },
    spec: present({
      parentRefs,
      hostnames,
      rules: [present({ matches, filters, backendRefs: backendRefs(pool) })],
    }),
  };
}

/** The pool here first, then what stands for the pool elsewhere. */
function backendRefs(pool: ImportedPool) {
  const { metadata, spec } = pool;
  const place = isElsewhere(pool) ? { namespace: metadata.namespace } : {};
  const { name } = metadata;
  return [
    ...(spec.local === undefined
      ? []
      : [{ group: poolGroup, kind: "InferencePool", name, ...place, weight: spec.local.weight }]),
    ...(spec.parents === undefined
      ? [{ group: importGroup, kind: "InferencePoolImport", name, ...place, weight: spec.weight }]
      : spec.parents.map(({ cluster, weight }) => ({
          group: "agentgateway.dev",
          kind: "AgentgatewayBackend",
          name: parentBackendName(name, cluster),
          ...place,
          weight,
        }))),
  ];
}

/** A gateway of another cluster as agentgateway has it. */
const parentBackend = (
  pool: ImportedPool,
  { cluster, host, port, tls }: ImportedParent,
): Manifest => ({
  apiVersion: "agentgateway.dev/v1alpha1",
  kind: "AgentgatewayBackend",
  metadata: meta(pool, parentBackendName(pool.metadata.name, cluster)),
  spec: present({
    static: { host, port },
    policies: tls && {
      tls: { caCertificateRefs: [{ name: tls.caConfigMap }], sni: tls.hostname },
    },
  }),
});

const tlsPolicy = (pool: ImportedPool, tls: NonNullable<ImportedPoolSpec["tls"]>): Manifest => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "BackendTLSPolicy",
  metadata: meta(pool, importTlsPolicyName(pool.metadata.name)),
  spec: {
    targetRefs: [{ group: importGroup, kind: "InferencePoolImport", name: pool.metadata.name }],
    validation: {
      caCertificateRefs: [{ group: "", kind: "ConfigMap", name: tls.caConfigMap }],
      hostname: tls.hostname,
    },
  },
});

/** In the version that gateways watch: v1beta1 is what clusters store. */
function referenceGrant(pool: ImportedPool): Manifest {
  const { metadata, spec } = pool;
  const kinds = new Set(
    backendRefs(pool).map(({ group, kind }) => JSON.stringify({ group, kind })),
  );
  return {
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
    metadata: meta(pool, importGrantName(metadata.name)),
    spec: {
      from: [
        {
          group: "gateway.networking.k8s.io",
          kind: "HTTPRoute",
          namespace: spec.routeNamespace,
        },
      ],
      to: [...kinds].map((kind) => JSON.parse(kind) as { group: string; kind: string }),
    },
  };
}
