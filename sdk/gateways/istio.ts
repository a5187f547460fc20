import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { objectMeta } from "../plan/object-meta.ts";
import { parentBackendName } from "../topology/names.ts";
import type { PlanParent } from "./parent-backend.ts";

/**
 * Istio: a ServiceEntry that a backend of kind Hostname names, and a DestinationRule where the way there is TLS. Both
 * stand in the route's namespace, since such a backend has none of its own.
 *
 * The host name is one of this cluster's alone: addresses may be names or IP addresses, and the request's own host name
 * stays as it is.
 */
export const istioBackend: PlanParent = (pool, { cluster, host, port, tls }) => {
  const { metadata, spec } = pool;
  const { routeNamespace = metadata.namespace } = spec;
  const name = parentBackendName(metadata.name, cluster);
  const hostname = `${name}.${routeNamespace}.internal`;
  const meta = { ...objectMeta({ metadata, owner: {} }, name), namespace: routeNamespace };
  const entry: Manifest = {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: meta,
    spec: {
      hosts: [hostname],
      location: "MESH_EXTERNAL",
      ports: [{ number: port, name: "http", protocol: "HTTP" }],
      resolution: "DNS",
      endpoints: [{ address: host }],
    },
  };
  const rule = (to: NonNullable<typeof tls>): Manifest => ({
    apiVersion: "networking.istio.io/v1",
    kind: "DestinationRule",
    metadata: meta,
    spec: {
      host: hostname,
      trafficPolicy: {
        tls: {
          mode: "SIMPLE",
          credentialName: to.caSecret,
          sni: to.hostname,
          subjectAltNames: [to.hostname],
        },
      },
    },
  });
  return {
    objects: tls === undefined ? [entry] : [entry, rule(tls)],
    ref: { group: "networking.istio.io", kind: "Hostname", name: hostname, port },
  };
};
