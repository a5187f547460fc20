import { formatTable } from "../output/table.ts";

/** Result of a request, as `--format json` prints it. */
export interface Report {
  readonly answer: string;
  readonly model: string;
  readonly url: string;
  /** How the URL was reached: a Gateway, a port-forward, or `--url`. */
  readonly through: string;
  /** `ip:port` of the pod that responded; undefined if gateway or picker do not report it. */
  readonly endpoint: string | undefined;
  /** `x-request-id` of the response, or else of the request; `explain --request-id` takes it. */
  readonly requestId: string;
  /** Name of the pod; absent if the cluster does not report it. */
  readonly pod?: string;
  /** Undefined for a response that is not a stream. */
  readonly firstTokenSeconds: number | undefined;
  readonly seconds: number;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
  readonly finishReason: string | undefined;
}

export function formatReport(report: Report): string {
  const { model, url, through, requestId, endpoint, pod } = report;
  const { firstTokenSeconds, seconds, usage, finishReason } = report;
  const first =
    firstTokenSeconds === undefined ? "" : `first token ${seconds3(firstTokenSeconds)}, `;
  const rows: Array<[string, string]> = [
    ["MODEL", model],
    ["URL", `${url} (${through})`],
    ["POD", podOf(endpoint, pod)],
    ["ID", requestId],
    ["TIME", `${first}total ${seconds3(seconds)}`],
    [
      "TOKENS",
      usage === undefined ? "unknown" : `${usage.promptTokens} in, ${usage.completionTokens} out`,
    ],
    ...(finishReason === "length" ? [["ENDED", "at --max-tokens"] as [string, string]] : []),
  ];
  return formatTable(rows.map((row) => row.map((cell) => ({ text: cell }))));
}

const seconds3 = (time: number) => `${time.toFixed(3)} s`;

function podOf(endpoint: string | undefined, pod: string | undefined): string {
  if (endpoint === undefined)
    return "unknown: the gateway does not send responses to the picker, or another picker runs";
  return pod === undefined ? endpoint : `${pod} (${endpoint})`;
}
