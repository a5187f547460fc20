import { timestampOf } from "../../sdk/status/conditions.ts";
import { statusOf } from "../../sdk/status/inference-service-status.ts";
import type { InferenceServiceStatus } from "../../sdk/status/schemas.ts";
import { type PathObject, servingPath } from "../../sdk/status/serving-path.ts";
import { type ApiReader, apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { UsageError } from "../exit-code.ts";
import { readServices } from "../input/services.ts";
import type { ReadingOptions } from "../options.ts";
import { printPolls, type View } from "../output/print-polls.ts";
import type { Terminal } from "../terminal.ts";
import { observePlacement, type RolePlacement } from "./observe-placement.ts";
import { observeService } from "./observe-service.ts";
import { type MeasuredService, serviceByObjects, serviceInCluster } from "./service-in-cluster.ts";
import { statusTable } from "./status-table.ts";

export interface StatusOptions extends ReadingOptions {
  file?: string[];
  watch: boolean;
}

/** Prints the status of a service. */
export async function status(
  name: string,
  options: StatusOptions,
  terminal: Terminal,
): Promise<number> {
  const config = loadKubeconfig(options);
  const api = apiReader(config);
  const { file } = options;
  const manifest = file && (await serviceInFiles(file, name, terminal));
  const namespace =
    options.namespace ?? manifest?.service.metadata.namespace ?? namespaceOf(config, options);
  return printPolls(polling(api, namespace, name, manifest), statusView, options, terminal);
}

/** A service at one time. */
export interface Poll {
  readonly name: string;
  readonly status: InferenceServiceStatus;
  /** RFC 3339. */
  readonly now: string;
  /** Roles with times from a controller, and not from this poll. */
  readonly dated: ReadonlySet<string>;
  /** Objects between a client and the engines. */
  readonly path: readonly PathObject[];
  /** Nodes of the roles whose pods wait for a node. */
  readonly placement: readonly RolePlacement[];
  /** Sentences about unknown data, because the spec was reconstructed from the objects. */
  readonly unreported: readonly string[];
}

async function* polling(
  api: ApiReader,
  namespace: string,
  name: string,
  manifest: MeasuredService | undefined,
): AsyncGenerator<Poll, void> {
  let before: InferenceServiceStatus | undefined;
  for (;;) yield await poll();

  async function poll(): Promise<Poll> {
    const [stored, { manifests, objects, gateways }] = await Promise.all([
      manifest ?? serviceInCluster(api, namespace, name),
      observeService(api, namespace, name),
    ]);
    const { service, generation, written, unreported } =
      stored ?? (await serviceByObjects(api, namespace, name, manifests));
    const now = timestampOf(Date.now());
    const previous = before ?? written;
    const { status: current } = statusOf(service, objects, previous, { now, generation });
    const dated = Object.entries(current.components ?? {}).filter(
      ([role, { lastUpdateTime }]) =>
        previous?.components?.[role]?.lastUpdateTime === lastUpdateTime,
    );
    before = current;
    return {
      name: `${namespace}/${name}`,
      status: current,
      now,
      dated: new Set(dated.map(([role]) => role)),
      path: servingPath(service, objects, gateways),
      placement: await observePlacement(api, manifests.workloads, objects.pods),
      unreported,
    };
  }
}

async function serviceInFiles(
  files: readonly string[],
  name: string,
  terminal: Terminal,
): Promise<MeasuredService> {
  const services = (await readServices(files, terminal)).map(({ service }) => service);
  const service = services.find(({ metadata }) => metadata.name === name);
  if (service !== undefined)
    return { service, generation: undefined, written: undefined, unreported: [] };
  const names = services.map(({ metadata }) => metadata.name).join(", ");
  throw new UsageError(`--file: no InferenceService named ${name}; found: ${names}`);
}

export const statusView: View<Poll> = {
  compared: (poll) => [poll.status, poll.path, poll.placement],
  // The status of the object, and the data that only this command reports.
  value: ({ status, path, placement, unreported }) => ({
    ...status,
    path,
    unreported,
    ...(placement.length > 0 && { placement }),
  }),
  table: statusTable,
  isWell: ({ status }) => isAvailable(status),
};

const isAvailable = ({ conditions = [] }: InferenceServiceStatus): boolean =>
  conditions.some(({ type, status }) => type === "Available" && status === "True");
