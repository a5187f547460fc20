import { annotation, importName } from "../../names.ts";
import {
  defaultPreference,
  type ImportedPoolSpec,
  type ImportPicker,
} from "../../spec/imported-pool.ts";
import type { UnparsedBodies } from "../../spec/picker-requests.ts";
import type { MountedFiles } from "../programs/mounted-files.ts";
import { endpointPickerRules, importPickerRules } from "../programs/rbac-rules.ts";
import { configArgument } from "./config-argument.ts";

/** Endpoints among which a picker picks, with the arguments, permissions and files that this requires. */
export interface PickerTask {
  /** Flag that sets these endpoints, without `--`: a pool, the pools of a Service, or an import. */
  readonly mode: string;
  readonly args: readonly string[];
  /** RBAC rules for the picker's namespace. */
  readonly rules: readonly object[];
  readonly files: readonly MountedFiles[];
}

/** Handling of requests by the picker of a pool. */
export interface PoolRequests {
  readonly tenantHeader?: string | undefined;
  readonly unparsedBodies?: UnparsedBodies | undefined;
}

/** Returns the annotations of a pool that configure a shared picker for this pool. */
export const sharedPickerAnnotations = (
  config: string,
  { tenantHeader, unparsedBodies }: PoolRequests,
): Record<string, string> => ({
  [annotation.pickerConfig]: config,
  ...(tenantHeader !== undefined && { [annotation.tenantHeader]: tenantHeader }),
  ...(unparsedBodies !== undefined && { [annotation.unparsedBodies]: unparsedBodies }),
});

/** Picks pods of one InferencePool in the picker's namespace, with `more` flags. */
export const pickForPool = (
  pool: string,
  config: string,
  { tenantHeader, unparsedBodies }: PoolRequests = {},
  more: readonly string[] = [],
): PickerTask => ({
  mode: `pool-name=${pool}`,
  args: [
    configArgument(config),
    ...(tenantHeader === undefined ? [] : [`--tenant-header=${tenantHeader}`]),
    ...(unparsedBodies === undefined ? [] : [`--unparsed-bodies=${unparsedBodies}`]),
    ...more,
  ],
  rules: endpointPickerRules,
  files: [],
});

/** Picks pods of every InferencePool in the namespace that names the picker's Service. */
export const pickForService = (service: string): PickerTask => ({
  mode: `picker-service=${service}`,
  args: [],
  rules: endpointPickerRules,
  files: [],
});

/**
 * Picks a cluster that exports a pool, and calls the picker there.
 *
 * @param spec spec of the imported pool; its `tls` settings also apply to probes of other clusters' gateways
 */
export function pickForImport(
  pool: string,
  picker: ImportPicker,
  { local, tls: backendTls }: Pick<ImportedPoolSpec, "local" | "tls">,
): PickerTask {
  const {
    selection,
    order,
    spilloverQueueThreshold,
    weights = {},
    localCluster,
    locality,
    tls,
  } = picker;
  const shares = Object.entries(weights).map(([cluster, weight]) => `${cluster}=${weight}`);
  const { parentProbe, preference = defaultPreference(local) } = picker;
  return {
    mode: `import=${importName(pool)}`,
    args: [
      `--import-selection=${selection}`,
      `--import-preference=${preference}`,
      ...(spilloverQueueThreshold === undefined
        ? []
        : [`--import-spillover-queue-threshold=${spilloverQueueThreshold}`]),
      ...(order === undefined ? [] : [`--import-order=${order.join(",")}`]),
      ...(shares.length === 0 ? [] : [`--import-weights=${shares.join(",")}`]),
      ...(localCluster === undefined ? [] : [`--local-cluster=${localCluster}`]),
      ...(locality === undefined ? [] : [`--local-region=${locality.region}`]),
      ...(locality?.zone === undefined ? [] : [`--local-zone=${locality.zone}`]),
      ...(picker.plaintext ? ["--remote-plaintext=true"] : []),
      ...(tls?.caConfigMap === undefined ? [] : [`--remote-ca-file=${authorities}/ca.crt`]),
      ...(tls?.clientCertificateSecret === undefined ? [] : [`--remote-cert-path=${certificate}`]),
      ...(tls?.hostname === undefined ? [] : [`--remote-server-name=${tls.hostname}`]),
      ...(backendTls === undefined
        ? []
        : [
            `--parent-server-name=${backendTls.hostname}`,
            `--parent-ca-file=${parentAuthorities}/ca.crt`,
          ]),
      ...(parentProbe === undefined ? [] : [`--parent-probe-path=${parentProbe.path}`]),
      ...(parentProbe?.hostname === undefined
        ? []
        : [`--parent-probe-host=${parentProbe.hostname}`]),
      ...(tls?.metrics ? ["--remote-metrics-tls=true"] : []),
    ],
    rules: importPickerRules,
    files: [
      ...(tls?.caConfigMap === undefined
        ? []
        : [
            {
              name: "remote-authorities",
              mountPath: authorities,
              source: { configMap: { name: tls.caConfigMap } },
            },
          ]),
      ...(backendTls === undefined
        ? []
        : [
            {
              name: "parent-authorities",
              mountPath: parentAuthorities,
              source: { configMap: { name: backendTls.caConfigMap } },
            },
          ]),
      ...(tls?.clientCertificateSecret === undefined
        ? []
        : [
            {
              name: "client-certificate",
              mountPath: certificate,
              source: { secret: { secretName: tls.clientCertificateSecret } },
            },
          ]),
    ],
  };
}

const authorities = "/certificates/remote";
const parentAuthorities = "/certificates/parents";
const certificate = "/certificates/client";
