import { connectExtProc, type ExtProcStream } from "../../../testing/ext-proc/client.ts";
import type { Pod } from "../pod.ts";
import type { Arrival } from "../trace.ts";
import type { Choice } from "../traffic.ts";

/** A picker that is asked as proxies ask it. */
export interface AskedPicker {
  route(request: Arrival): Promise<Choice | undefined>;
  close(): void;
}

export interface AskingOptions {
  /** The picker may leave a request when it has its endpoint, as behind Envoy. */
  readonly mayLeave: boolean;
}

const destination = "x-gateway-destination-endpoint";

/** @param pods the pods it may choose, including pods that join while a request waits */
export function askPicker(
  address: string,
  pods: readonly Pod[],
  { mayLeave }: AskingOptions,
): AskedPicker {
  const client = connectExtProc(address, { tls: true });
  let requests = 0;
  return {
    async route(request) {
      requests += 1;
      const stream = client.open({
        protocolConfig: {
          requestBodyMode: "FULL_DUPLEX_STREAMED",
          responseBodyMode: "FULL_DUPLEX_STREAMED",
        },
        metadata: mayLeave ? { "x-envoy-internal": "true" } : {},
      });
      ask(stream, `request-${requests}`, request);
      const { phase, setHeaders } = await stream.next();
      if (phase === "immediateResponse") return undefined;
      const podAt = (address: string | undefined) =>
        pods.find(({ endpoint }) => endpoint.address === address);
      const pod = podAt(setHeaders[destination]);
      if (pod === undefined) throw new Error(`the picker names ${setHeaders[destination]}`);
      return { pod, prefiller: podAt(setHeaders["x-prefiller-host-port"]), ...answering(stream) };
    },
    close: () => client.close(),
  };
}

function ask(stream: ExtProcStream, id: string, { prompt, outputTokens, tenant }: Arrival): void {
  stream.requestHeaders({
    ":method": "POST",
    ":path": "/v1/completions",
    ":authority": "gateway.example.com",
    "content-type": "application/json",
    "x-request-id": id,
    ...(tenant !== undefined && { "x-llm-d-inference-fairness-id": tenant }),
  });
  const body = { model: "base", prompt, max_tokens: outputTokens, stream: true };
  stream.requestBody(JSON.stringify(body), { endOfStream: true });
}

/** The answer as the proxy passes it on; one that broke off before its first token is a refused connection. */
function answering(stream: ExtProcStream): Pick<Choice, "firstToken" | "end"> {
  let answers = false;
  return {
    firstToken() {
      answers = true;
      stream.responseHeaders({ ":status": "200", "content-type": "text/event-stream" });
      stream.responseBody('data: {"choices":[{"index":0,"text":"a"}]}\n\n');
    },
    end() {
      if (answers) stream.responseBody("data: [DONE]\n\n", { endOfStream: true });
      else stream.responseHeaders({ ":status": "503" }, { endOfStream: true });
      stream.halfClose();
    },
  };
}
