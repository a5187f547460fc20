import { z } from "zod";
import { namespaceName, objectName, portNumber } from "../kubernetes/field-types.ts";

/**
 * What a cluster makes of a pool that another one exports: the route to it. The InferencePoolImport itself is made by
 * the multi-cluster controller, in namespaces that exist.
 */

/** Gateways whose objects are known here. */
export const gatewayTypes = ["generic", "agentgateway", "istio", "ngf", "gke"] as const;
export type GatewayType = (typeof gatewayTypes)[number];

const weight = z.int().min(0).max(1_000_000);

const Tls = z.strictObject({
  /** ConfigMap with key `ca.crt`, in the pool's namespace, that the other side's certificate chains to. */
  caConfigMap: objectName,
  /** Name that the certificate is for. */
  hostname: z.string().min(1).max(253),
});

const ParentTls = z.strictObject({
  /** ConfigMap with key `ca.crt` that the gateway's certificate chains to, in the backend's namespace. */
  caConfigMap: objectName.optional(),
  /** Secret with key `cacert`, in the namespace of the gateway here: where the gateway reads no ConfigMap. */
  caSecret: objectName.optional(),
  /** Name that the certificate is for. */
  hostname: z.string().min(1).max(253),
});

const Parent = z.strictObject({
  /** Of the cluster; part of object names. */
  cluster: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
    .max(40),
  /** Gateway of that cluster. */
  host: z.string().min(1).max(253),
  port: portNumber,
  weight: weight.default(1),
  /** Default: plain HTTP. */
  tls: ParentTls.optional(),
});

export const ImportedPoolSpec = z.strictObject({
  /** Whether the namespace is made here; the controller makes none. Default false. */
  createNamespace: z.boolean().default(false),
  /** Gateway that the route is for. */
  gateway: z
    .strictObject({
      type: z.enum(gatewayTypes).default("generic"),
      /** The gateway can have an InferencePool and an InferencePoolImport in one rule. */
      acceptsImports: z.boolean().default(false),
    })
    .prefault({}),
  /** Share of the requests that go to the import. */
  weight: weight.default(1),
  /** Share that stays: the InferencePool of the same name in this cluster. */
  local: z.strictObject({ weight: weight.default(1) }).optional(),
  /** Gateways of the exporting clusters, where this cluster's gateway cannot take an import. */
  parents: z.array(Parent).min(1).max(15).optional(),
  /** Namespace of the route. Default: that of the pool; another one gets a ReferenceGrant. */
  routeNamespace: namespaceName.optional(),
  /** HTTPRoute: what the rule is for. */
  parentRefs: z
    .array(z.looseObject({ name: z.string() }))
    .min(1)
    .max(32),
  hostnames: z.array(z.string()).max(16).optional(),
  matches: z.array(z.looseObject({})).min(1).optional(),
  filters: z.array(z.looseObject({})).optional(),
  /** Verifies pickers and pods of exporting clusters, where the gateway takes a BackendTLSPolicy for an import. */
  tls: Tls.optional(),
});

export type ImportedPoolSpec = z.infer<typeof ImportedPoolSpec>;
export type ImportedParent = z.infer<typeof Parent>;
