import type { ScaleRule } from "../../../scheduling/scaling/desired-replicas.ts";
import type { CommonOptions } from "../../epp/flags/common-options.ts";
import { pageFlags } from "../../epp/flags/pages.ts";
import type { PickerOptions as RequestPathOptions } from "../../epp/request-path/picker-services.ts";
import type { GivenFlags } from "../../manager/flags/command-line.ts";
import type { Environment } from "../../manager/program.ts";
import { tracingOptions } from "../../manager/tracing/flags.ts";
import type { TracingOptions } from "../../manager/tracing/tracing.ts";
import {
  type ImportPickerOptions,
  importPickerOptions,
} from "../../multi-cluster/import-picker/options.ts";
import type { Values } from "./flags/index.ts";

/** Endpoints of a picker, and the source that lists them. */
export type PoolSelection =
  | {
      readonly kind: "pool";
      readonly group: string;
      readonly namespace: string;
      readonly name: string;
    }
  | {
      readonly kind: "pods";
      readonly namespace: string;
      /** Name of the pool in metrics and in the lease. */
      readonly name: string;
      readonly selector: string;
      readonly targetPorts: readonly number[];
    }
  | {
      readonly kind: "file";
      readonly file: string;
      readonly namespace: string;
      /** Undefined if the file has only one pool. */
      readonly name: string | undefined;
    };

/** Options of the picker of one pool. */
export interface EndpointPickerOptions extends CommonOptions {
  readonly mode: "pool";
  readonly pool: PoolSelection;
  /** Undefined for the default configuration. */
  readonly config: { readonly file: string } | { readonly text: string } | undefined;
  readonly scheduling: RequestPathOptions & {
    readonly refreshMetricsIntervalMs: number;
    readonly staleAfterMs: number;
    readonly explainHistorySize: number;
    /** Header that names the tenant of a request, in lower case; undefined if the gateway sets none. */
    readonly tenantHeader?: string | undefined;
    readonly tenantsPerAddress: number;
  };
  /** How the pool's service is scaled; undefined if no autoscaler scales it. */
  readonly scaling: ScaleRule | undefined;
  /** Window of the latencies of LLMServices that are compared with their objectives. */
  readonly objectiveWindowMs: number;
  /** Undefined if tracing is off. */
  readonly tracing: TracingOptions | undefined;
  /** Name of the pod of this picker; undefined outside of a pod. */
  readonly ownPod: string | undefined;
}

/** Options of the picker of several pools. */
export interface SharedPickerOptions
  extends Omit<EndpointPickerOptions, "mode" | "pool" | "config" | "scaling"> {
  readonly mode: "shared";
  readonly namespace: string;
  /** Name of the Service that pools name as their picker. */
  readonly service: string;
}

/** Shortest interval between two scrapes of a model server, the same as in the upstream picker. */
export const minRefreshMetricsIntervalMs = 50;

/** Returns the options of a picker for a pool, for an import or for several pools. */
export function options(
  values: Values,
  env: Environment,
  given: GivenFlags,
): EndpointPickerOptions | ImportPickerOptions | SharedPickerOptions {
  const { pool, pages, scheduling, serving, tls } = values;
  const { certificateDirectory, clientCaFile } = pages;
  const common: CommonOptions = {
    serving,
    tls,
    operations: {
      healthPort: serving.healthPort,
      metricsPort: pages.port,
      metricsAuth: readersAreReviewed(values, given),
    },
    pageTls:
      certificateDirectory === undefined ? undefined : { certificateDirectory, clientCaFile },
    verbosity: pages.zapLogLevel ?? pages.verbosity,
  };
  const namespace = pool.namespace ?? (env.NAMESPACE || "default");
  if (values.import.name !== undefined) {
    const location = { namespace, name: values.import.name, file: pool.file };
    return { ...common, ...importPickerOptions(values, location) };
  }
  const { configFile: _file, configText: _text, disableEndpointSubsetFilter, ...rest } = scheduling;
  const picking = {
    ...common,
    scheduling: {
      ...rest,
      subsetFilter: !disableEndpointSubsetFilter,
      tenantHeader: rest.tenantHeader?.toLowerCase(),
      refreshMetricsIntervalMs: Math.max(
        rest.refreshMetricsIntervalMs,
        minRefreshMetricsIntervalMs,
      ),
    },
    objectiveWindowMs: pages.objectiveWindowMs,
    tracing: tracingOptions(values.tracing, env, "llm-d-epp"),
    ownPod: env.POD_NAME || undefined,
  };
  if (pool.service !== undefined)
    return { ...picking, mode: "shared", namespace, service: pool.service };
  return {
    ...picking,
    mode: "pool",
    pool: poolOf(pool, namespace, env),
    config: configOf(scheduling),
    scaling: scaleRuleOf(values.scaling),
  };
}

const scaleRuleOf = ({ unit, targetUtilization }: Values["scaling"]): ScaleRule | undefined =>
  unit.size === 0 ? undefined : { unit, targetUtilization: targetUtilization / 100 };

function configOf({ configFile, configText }: Values["scheduling"]) {
  if (configFile !== undefined) return { file: configFile };
  return configText === undefined ? undefined : { text: configText };
}

/** By default, the API server reviews readers only if the pool is read from one. */
export const readersAreReviewed = ({ pages, pool }: Values, given: GivenFlags): boolean =>
  pages.auth && (given.has(pageFlags.flags.auth) || pool.file === undefined);

function poolOf(pool: Values["pool"], namespace: string, env: Environment): PoolSelection {
  const { file, group, name, selector = "", targetPorts } = pool;
  if (file !== undefined) return { kind: "file", file, namespace, name };
  if (name !== undefined) return { kind: "pool", group, namespace, name };
  const deployment = deploymentName(env.POD_NAME ?? "") ?? "endpoint-picker";
  return { kind: "pods", namespace, name: deployment, selector, targetPorts };
}

/** Returns the Deployment of a pod. Its pods are named `<deployment>-<hash>-<suffix>`. */
const deploymentName = (pod: string): string | undefined => /^(.+)-[^-]+-[^-]+$/.exec(pod)?.[1];
