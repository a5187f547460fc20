import { formatTable } from "../output/table.ts";

/** What came of a request, as `--format json` shows it. */
export interface Report {
  readonly answer: string;
  readonly model: string;
  readonly url: string;
  /** How the URL was reached: a Gateway, a port-forward, or `--url`. */
  readonly through: string;
  /** `ip:port` of the pod that answered; undefined where gateway or picker do not tell. */
  readonly endpoint: string | undefined;
  /** Its name; absent where the cluster does not tell. */
  readonly pod?: string;
  /** Undefined without a stream. */
  readonly firstTokenSeconds: number | undefined;
  readonly seconds: number;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
  readonly finishReason: string | undefined;
}

export function formatReport(report: Report): string {
  const { model, url, through, endpoint, pod, firstTokenSeconds, seconds, usage, finishReason } =
    report;
  const first =
    firstTokenSeconds === undefined ? "" : `first token ${seconds3(firstTokenSeconds)}, `;
  const rows: Array<[string, string]> = [
    ["MODEL", model],
    ["URL", `${url} (${through})`],
    ["POD", podOf(endpoint, pod)],
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
