import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import {
  annotation,
  endpointPickerName,
  exportPolicyName,
  label,
  servingCertificateName,
} from "../../names.ts";
import { type Export, exportedTo } from "../../spec/export.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { planPickerCertificate } from "../certificate.ts";
import { anyNamespace, exportPeers, planNetworkPolicy } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import type { MountedFiles } from "../programs/mounted-files.ts";

/** Returns the annotations of an exported InferencePool. Empty if the pool is not exported. */
export const exportAnnotations = (exported: Export | undefined): Record<string, string> =>
  exported === undefined
    ? {}
    : {
        [annotation.export]: exportedTo,
        [annotation.exportMode]: exported.mode,
        ...(exported.exportTo === undefined ? {} : { [annotation.exportTo]: exported.exportTo }),
        ...(exported.gkeFleet ? { [annotation.gkeExport]: "True" } : {}),
      };

/** Ports of the picker that other clusters may reach. */
export const exportedPorts = ({ metrics }: Export): number[] => [
  runtimePorts.extProc,
  runtimePorts.health,
  ...(metrics ? [runtimePorts.metrics] : []),
];

/**
 * Returns a policy that lets other clusters reach the picker of an exported pool, in addition to clients in this
 * cluster.
 */
export function planExportPolicy(
  context: PlanContext,
  exported: Export,
  policy: NetworkPolicyArgument,
): Manifest {
  const { name } = context.metadata;
  const others = exportPeers(exported);
  // If no other policy is planned, this one also permits clients in this cluster, which it would exclude otherwise.
  const here = policy.enabled ? [] : [anyNamespace];
  const ports = policy.enabled ? exportedPorts(exported) : Object.values(runtimePorts);
  return planNetworkPolicy(
    context,
    exportPolicyName(name),
    { matchLabels: { [label.app]: endpointPickerName(name) } },
    [{ from: others && [...here, ...others], ports }],
  );
}

/** Returns the Certificate that the issuer signs for the picker of an exported pool. Empty without an issuer. */
export function planServingCertificate(
  context: PlanContext,
  { certificateIssuer: issuer }: Export,
): Manifest[] {
  if (issuer === undefined) return [];
  const name = servingCertificateName(context.metadata.name);
  return [planPickerCertificate(context, { name, usage: "server auth", issuer })];
}

/** Returns the export with the Secret of the picker's serving certificate, which the issuer may create. */
export const withServingSecret = ({ metadata }: PlanContext, exported: Export): Export =>
  exported.certificateIssuer === undefined
    ? exported
    : { ...exported, certificateSecret: servingCertificateName(metadata.name) };

const servingCertificate = "/certificates/serving";
const clientAuthorities = "/certificates/clients";

/**
 * Returns the picker's arguments for its serving certificate and for client certificates. A rotated certificate needs
 * no new pod.
 */
export const exportArgs = (exported: Export | undefined): string[] => [
  ...(exported?.metrics ? readByOthers(exported) : []),
  ...(exported?.certificateSecret === undefined
    ? []
    : [`--cert-path=${servingCertificate}`, "--enable-cert-reload=true"]),
  ...(exported?.clientCaConfigMap === undefined
    ? []
    : [`--client-ca-file=${clientAuthorities}/ca.crt`]),
];

/**
 * Readers in other clusters have no token of this cluster. They are authenticated by a client certificate, or
 * restricted by network.
 */
const readByOthers = ({ certificateSecret, clientCaConfigMap }: Export): string[] => [
  "--metrics-endpoint-auth=false",
  ...(certificateSecret === undefined || clientCaConfigMap === undefined
    ? []
    : [
        `--metrics-cert-dir=${servingCertificate}`,
        `--metrics-client-ca-file=${clientAuthorities}/ca.crt`,
      ]),
];

/** The files that these arguments name. */
export const exportFiles = (exported: Export | undefined): MountedFiles[] => [
  ...(exported?.certificateSecret === undefined
    ? []
    : [
        {
          name: "serving-certificate",
          mountPath: servingCertificate,
          source: { secret: { secretName: exported.certificateSecret } },
        },
      ]),
  ...(exported?.clientCaConfigMap === undefined
    ? []
    : [
        {
          name: "client-authorities",
          mountPath: clientAuthorities,
          source: { configMap: { name: exported.clientCaConfigMap } },
        },
      ]),
];
