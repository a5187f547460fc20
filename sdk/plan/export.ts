import type { Manifest } from "../kubernetes/manifest.ts";
import { type Export, exportedTo } from "../spec/export.ts";
import { annotation, endpointPickerName, exportPolicyName, label } from "../topology/names.ts";
import type { MountedFiles } from "./mounted-files.ts";
import { objectMeta, type PlanContext } from "./object-meta.ts";
import { endpointPickerPorts } from "./picker-ports.ts";

/** Annotations of an InferencePool that is exported; none of one that is not. */
export const exportAnnotations = (exported: Export | undefined): Record<string, string> =>
  exported === undefined
    ? {}
    : {
        [annotation.export]: exportedTo,
        [annotation.exportMode]: exported.mode,
        ...(exported.gkeFleet ? { [annotation.gkeExport]: "True" } : {}),
      };

/** Who may reach the picker of an exported pool, on its three ports and no other. */
export function planExportPolicy(context: PlanContext, { allowedNetworks }: Export): Manifest {
  const { name } = context.metadata;
  const ports = Object.values(endpointPickerPorts).map((port) => ({ protocol: "TCP", port }));
  const from = allowedNetworks.map((cidr) => ({ ipBlock: { cidr } }));
  // Gateways of this cluster reach the picker as before.
  const local = { namespaceSelector: {} };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: objectMeta(context, exportPolicyName(name)),
    spec: {
      podSelector: { matchLabels: { [label.app]: endpointPickerName(name) } },
      policyTypes: ["Ingress"],
      ingress: [{ ...(from.length > 0 ? { from: [local, ...from] } : {}), ports }],
    },
  };
}

const servingCertificate = "/certificates/serving";
const clientAuthorities = "/certificates/clients";

/** How the picker of an exported pool proves who it is, and whom it serves. A rotated certificate needs no new pod. */
export const exportArgs = (exported: Export | undefined): string[] => [
  ...(exported?.certificateSecret === undefined
    ? []
    : [`--cert-path=${servingCertificate}`, "--enable-cert-reload=true"]),
  ...(exported?.clientCaConfigMap === undefined
    ? []
    : [`--client-ca-file=${clientAuthorities}/ca.crt`]),
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
