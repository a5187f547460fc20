/** Reason why there is no result, and a fix, in one line. Ends with exit code 1. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
}

/** The parts of an error response that help the user. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  /** Value of the picker's header with the reason of its refusal. */
  readonly reason: string | undefined;
  readonly service: string;
  readonly namespace: string;
  readonly model: string | undefined;
  readonly pool: string;
}

export function refusalLine({
  status,
  body,
  reason,
  service,
  namespace,
  model,
  pool,
}: Refusal): string {
  const reported = messageOf(body);
  const why = reason === undefined ? "" : ` (${reason})`;
  const given = `${status}${why}${reported === "" ? "" : `: ${reported}`}`;
  const own = `-n ${namespace}`;
  const ask =
    model === undefined
      ? `kubectl describe httproute ${own}`
      : `npx pulumi-inference explain ${JSON.stringify(model)} --pool ${pool} ${own}`;
  switch (status) {
    case 401:
    case 403:
      return `${given}; the gateway requires credentials; set --header 'Authorization: Bearer TOKEN'`;
    case 404:
      return reported === ""
        ? `${given}; no route of the gateway matches the request: kubectl describe httproute ${own} shows whether it was accepted`
        : `${given}; ${ask} shows which models are served`;
    case 429:
      return `${given}; the pool is full, or a limit of the gateway applies: try later, set an objective, or add replicas`;
    case 502:
    case 503:
    case 504:
      return reason?.includes("no-endpoints")
        ? `${given}; no model server is ready: npx pulumi-inference status ${service} ${own} shows why`
        : `${given}; the gateway reached no picker or no model server: npx pulumi-inference status ${service} ${own}`;
    case 500:
      return `${given}; the gateway could not reach the picker or does not know the backend: kubectl describe httproute ${own}, then the picker's log`;
    default:
      return `${given}; see what was sent with --format json, and the log of the picker and the model server`;
  }
}

/** Returns the message of OpenAI's error body, otherwise the text, on one line. */
function messageOf(body: string): string {
  let text = body;
  try {
    const { error, message, detail } = JSON.parse(body) as {
      error?: { message?: string } | string;
      message?: string;
      detail?: unknown;
    };
    const reported = typeof error === "string" ? error : (error?.message ?? message ?? detail);
    if (typeof reported === "string") text = reported;
  } catch {
    // Not JSON: the text is used.
  }
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

/** Returns the message for a request without any response. */
export function connectionLine(error: NodeJS.ErrnoException, url: string, through: string): string {
  const { code = "", message } = error;
  const at = `${url} (${through})`;
  if (code === "ECONNREFUSED")
    return `${at}: connection refused; is the gateway running, and reachable from here? use --url for another address, such as a port-forward`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `${at}: the name ${new URL(url).hostname} does not resolve; point DNS to the gateway, or set its address with --url`;
  if (code.includes("CERT") || code.includes("SELF_SIGNED") || code.includes("ALTNAME"))
    return `${at}: ${message}; --insecure accepts any certificate`;
  return `${at}: ${message || code}; is the address reachable from here? use --url for another address, such as a port-forward`;
}
