import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { collectionPath } from "../../kubernetes/paths.ts";
import { inferencePoolName, label } from "../../sdk/names.ts";
import { type ApiReader, apiReader } from "../doctor/api-reader.ts";
import { loadKubeconfig, namespaceOf } from "../doctor/kubeconfig.ts";
import { exitCode, UsageError } from "../exit-code.ts";
import type { ReadingOptions } from "../options.ts";
import { withoutControls } from "../output/controls.ts";
import { formatReading } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { exchange, type Sending } from "./exchange.ts";
import { connectionLine, RequestFailure, refusalLine } from "./failure.ts";
import { findWay, type OpenWay } from "./find-way.ts";
import { modelOf } from "./model-of.ts";
import { formatReport, type Report } from "./report.ts";

export interface RequestOptions extends ReadingOptions {
  readonly model?: string;
  readonly url?: string;
  readonly completion: boolean;
  readonly stream: boolean;
  readonly maxTokens: number;
  readonly header: Record<string, string>;
  readonly insecure: boolean;
  /** In seconds. */
  readonly timeout: number;
}

/** The cluster of a request; undefined if a URL is given and there is no kubeconfig. */
interface Cluster {
  readonly config: KubeConfig;
  readonly api: ApiReader;
}

/** Sends one request to a service and prints the response. */
export async function request(
  service: string,
  prompt: string,
  options: RequestOptions,
  terminal: Terminal,
): Promise<number> {
  try {
    const cluster = clusterOf(options);
    const namespace = cluster
      ? namespaceOf(cluster.config, options)
      : (options.namespace ?? "default");
    await using way = await wayOf(cluster, namespace, service, options);
    const target = { service, namespace, pool: inferencePoolName(service) };
    const model =
      options.model ??
      (await modelOf(cluster?.api, target, (path) => send(way, target, options, { path })));
    const report = await ask(way, { ...target, model, prompt }, options, terminal);
    const pod = await podAt(cluster?.api, namespace, service, report.endpoint);
    const reported = { ...report, ...(pod !== undefined && { pod }) };
    const printed = formatReading(options.format, reported, () => formatReport(reported));
    terminal[options.format === "table" ? "err" : "out"].write(printed);
    return exitCode.ok;
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error;
    terminal.err.write(`${error.message}\n`);
    return exitCode.problems;
  }
}

function clusterOf(options: RequestOptions): Cluster | undefined {
  try {
    const config = loadKubeconfig(options);
    return { config, api: apiReader(config) };
  } catch (error) {
    if (
      options.url === undefined ||
      options.kubeconfig !== undefined ||
      options.context !== undefined
    )
      throw error;
    return undefined;
  }
}

async function wayOf(
  cluster: Cluster | undefined,
  namespace: string,
  service: string,
  { url }: RequestOptions,
): Promise<OpenWay> {
  if (url === undefined && cluster !== undefined)
    return findWay(cluster.api, cluster.config, namespace, service);
  if (url === undefined || !URL.canParse(url) || !/^https?:/.test(url))
    throw new UsageError(`--url ${JSON.stringify(url)}: write a URL such as http://203.0.113.7/v1`);
  const base = url.replace(/\/+$/, "");
  return { url: base, headers: {}, through: "--url", [Symbol.asyncDispose]: async () => {} };
}

interface Target {
  readonly service: string;
  readonly namespace: string;
  readonly pool: string;
  readonly model?: string | undefined;
}

/** @throws RequestFailure for every error response */
async function send(
  way: OpenWay,
  target: Target,
  { header, insecure, timeout }: RequestOptions,
  what: Pick<Sending, "path" | "body">,
) {
  const headers = { [servedHeader]: "?", ...header };
  const timeoutMs = timeout * 1000;
  const response = await exchange(way, { ...what, headers, insecure, timeoutMs }).catch((error) => {
    throw new RequestFailure(connectionLine(error, way.url, way.through));
  });
  const { statusCode: status = 0 } = response;
  if (status >= 200 && status < 300) return response;
  const body = await text(response).catch(() => "");
  const reason = response.headers["x-llm-d-request-dropped-reason"]?.toString();
  throw new RequestFailure(
    `${way.url}${what.path}: ${refusalLine({ status, body, reason, model: undefined, ...target })}`,
  );
}

/** Header with which a request asks the picker for the endpoint, and that contains it in the response. */
const servedHeader = "x-gateway-destination-endpoint-served";

async function ask(
  way: OpenWay,
  target: Target & { readonly prompt: string; readonly model: string },
  options: RequestOptions,
  { out }: Terminal,
): Promise<Report> {
  const { completion, stream, maxTokens, format } = options;
  const { model, prompt } = target;
  const question = completion ? { prompt } : { messages: [{ role: "user", content: prompt }] };
  const usage = stream ? { stream, stream_options: { include_usage: true } } : {};
  const started = performance.now();
  const header = { [idHeader]: randomUUID(), ...lowerCased(options.header) };
  const response = await send(
    way,
    target,
    { ...options, header },
    {
      path: completion ? "/completions" : "/chat/completions",
      body: { model, ...question, max_tokens: maxTokens, ...usage },
    },
  );
  const show = (piece: string) => {
    if (format !== "table") return;
    if (out.isTerminal || out.pass === undefined) out.write(withoutControls(piece));
    else out.pass(piece);
  };
  const answer: Answer = await readAnswer(response, show, () => performance.now()).catch(
    (error: Error) => {
      throw new RequestFailure(
        `${way.url}: the response ended early or is not of the OpenAI API: ${error.message}; is there a time limit on the route or the gateway?`,
      );
    },
  );
  show("\n");
  const seconds = (time: number) => Number(((time - started) / 1000).toFixed(3));
  const endpoint = response.headers[servedHeader]?.toString();
  return {
    answer: answer.text,
    model,
    url: way.url,
    through: way.through,
    requestId: response.headers[idHeader]?.toString() || header[idHeader],
    endpoint,
    firstTokenSeconds: answer.firstTokenAt && seconds(answer.firstTokenAt),
    seconds: seconds(performance.now()),
    usage: answer.usage,
    finishReason: answer.finishReason,
  };
}

/** Header with the id under which pickers record a decision. */
const idHeader = "x-request-id";

const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

interface PodList {
  readonly items: ReadonlyArray<{
    readonly metadata: { readonly name: string };
    readonly status?: { readonly podIP?: string };
  }>;
}

/** Returns the name of the pod at an `ip:port`; undefined if the cluster does not report it. */
async function podAt(
  api: ApiReader | undefined,
  namespace: string,
  service: string,
  endpoint: string | undefined,
): Promise<string | undefined> {
  if (api === undefined || endpoint === undefined) return undefined;
  const ip = endpoint.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  const selector = encodeURIComponent(`${label.service}=${service}`);
  const path = `${collectionPath(unplanned.Pod, namespace)}?labelSelector=${selector}`;
  const seen = await api.get<PodList>(path).catch(() => undefined);
  if (seen?.state !== "seen") return undefined;
  return seen.value.items.find(({ status }) => status?.podIP === ip)?.metadata.name;
}
