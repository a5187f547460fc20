import { timestampOf } from "../../sdk/status/conditions.ts";
import { statusOf } from "../../sdk/status/inference-service-status.ts";
import type { InferenceServiceStatus } from "../../sdk/status/schemas.ts";
import { type PathObject, servingPath } from "../../sdk/status/serving-path.ts";
import { type ApiReader, apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import { readServices } from "../input/services.ts";
import type { ReadingOptions } from "../options.ts";
import { lookIntervalMs, printChanges } from "../output/changes.ts";
import { formatReading } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { observeService } from "./observe-service.ts";
import { type MeasuredService, serviceByObjects, serviceInCluster } from "./service-in-cluster.ts";
import { statusTable } from "./status-table.ts";

export interface StatusOptions extends ReadingOptions {
  file?: string[];
  watch: boolean;
}

/** Prints how a service is doing. */
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
  const looks = looking(api, namespace, name, manifest);
  if (options.watch) return watchStatus(looks, lookIntervalMs, options, terminal);
  const { value: look } = await looks.next();
  if (look === undefined) return exitCode.problems;
  terminal.out.write(shown(look, options, terminal));
  return isAvailable(look.status) ? exitCode.ok : exitCode.problems;
}

/** A service at a moment. */
export interface Look {
  readonly name: string;
  readonly status: InferenceServiceStatus;
  /** RFC 3339. */
  readonly now: string;
  /** Roles whose times come from a controller, and not from this look. */
  readonly dated: ReadonlySet<string>;
  /** Objects between a request and the engines. */
  readonly path: readonly PathObject[];
  /** What cannot be known: where no spec is there, it is read from the objects. */
  readonly untold: readonly string[];
}

async function* looking(
  api: ApiReader,
  namespace: string,
  name: string,
  manifest: MeasuredService | undefined,
): AsyncGenerator<Look, void> {
  let before: InferenceServiceStatus | undefined;
  for (;;) yield await look();

  async function look(): Promise<Look> {
    const [stored, { manifests, objects, gateways }] = await Promise.all([
      manifest ?? serviceInCluster(api, namespace, name),
      observeService(api, namespace, name),
    ]);
    const { service, generation, written, untold } =
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
      untold,
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
    return { service, generation: undefined, written: undefined, untold: [] };
  const names = services.map(({ metadata }) => metadata.name).join(", ");
  throw new UsageError(`--file: no InferenceService ${name}; there is ${names}`);
}

/** Prints each look that differs from the one before, until the looks end. */
export async function watchStatus(
  looks: AsyncIterable<Look>,
  pause: number,
  options: Pick<StatusOptions, "format">,
  terminal: Terminal,
): Promise<number> {
  await printChanges(looks, terminal, {
    pause,
    format: options.format,
    compared: (look) => [look.status, look.path],
    shown: (look) => shown(look, options, terminal),
  });
  return exitCode.ok;
}

const shown = (look: Look, { format }: Pick<StatusOptions, "format">, { out }: Terminal) =>
  formatReading(format, reported(look), () => statusTable(look, out));

/** The status as its object has it, and what only this command says. */
const reported = ({ status, path, untold }: Look) => ({ ...status, path, untold });

const isAvailable = ({ conditions = [] }: InferenceServiceStatus): boolean =>
  conditions.some(({ type, status }) => type === "Available" && status === "True");
