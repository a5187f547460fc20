import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { type Export, exportedTo } from "../../spec/export.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import {
  annotation,
  endpointPickerName,
  exportPolicyName,
  label,
  servingCertificateName,
} from "../../topology/names.ts";
import { runtimePorts } from "../../topology/runtime-ports.ts";
import { planPickerCertificate } from "../certificate.ts";
import { anyNamespace, exportPeers, planNetworkPolicy } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import type { MountedFiles } from "../programs/mounted-files.ts";

/** Annotations of an InferencePool that is exported; none of one that is not. */
export const exportAnnotations = (exported: Export | undefined): Record<string, string> =>
  exported === undefined
    ? {}
    : {
        [annotation.export]: exportedTo,
        [annotation.exportMode]: exported.mode,
        ...(exported.exportTo === undefined ? {} : { [annotation.exportTo]: exported.exportTo }),
        ...(exported.gkeFleet ? { [annotation.gkeExport]: "True" } : {}),
      };

/** Ports of the picker that other clusters reach. */
export const exportedPorts = ({ metrics }: Export): number[] => [
  runtimePorts.extProc,
  runtimePorts.health,
  ...(metrics ? [runtimePorts.metrics] : []),
];

/** Lets other clusters reach the picker of an exported pool, beside those of this one. */
export function planExportPolicy(
  context: PlanContext,
  exported: Export,
  policy: NetworkPolicyArgument,
): Manifest {
  const { name } = context.metadata;
  const others = exportPeers(exported);
  // Without another policy this one lets those of this cluster in: it would shut them out else.
  const here = policy.enabled ? [] : [anyNamespace];
  const ports = policy.enabled ? exportedPorts(exported) : Object.values(runtimePorts);
  return planNetworkPolicy(
    context,
    exportPolicyName(name),
    { matchLabels: { [label.app]: endpointPickerName(name) } },
    [{ from: others && [...here, ...others], ports }],
  );
}

/** The Certificate that an issuer signs for the picker of an exported pool; none without an issuer. */
export function planServingCertificate(
  context: PlanContext,
  { certificateIssuer: issuer }: Export,
): Manifest[] {
  if (issuer === undefined) return [];
  const name = servingCertificateName(context.metadata.name);
  return [planPickerCertificate(context, { name, usage: "server auth", issuer })];
}

/** The export with the Secret that its picker serves with, be it the issuer's. */
export const withServingSecret = ({ metadata }: PlanContext, exported: Export): Export =>
  exported.certificateIssuer === undefined
    ? exported
    : { ...exported, certificateSecret: servingCertificateName(metadata.name) };

const servingCertificate = "/certificates/serving";
const clientAuthorities = "/certificates/clients";

/** How the picker of an exported pool proves who it is, and whom it serves. A rotated certificate needs no new pod. */
export const exportArgs = (exported: Export | undefined): string[] => [
  ...(exported?.metrics ? readByOthers(exported) : []),
  ...(exported?.certificateSecret === undefined
    ? []
    : [`--cert-path=${servingCertificate}`, "--enable-cert-reload=true"]),
  ...(exported?.clientCaConfigMap === undefined
    ? []
    : [`--client-ca-file=${clientAuthorities}/ca.crt`]),
];

/** Readers of other clusters have no token of this one: a certificate says who they are, or the network where they are. */
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
