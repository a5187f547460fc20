/**
 * Load on a picker, as Envoy puts it there: `node testing/ext-proc/load-driver.ts --target 127.0.0.1:9002`.
 * Prints `measuring` when the warm-up is over, then a LoadReport as JSON.
 */
import { parseArgs } from "node:util";
import { runLoad, type StartRequest } from "./arrivals.ts";
import { Conversation, cancelPoints, type Script, writeScript } from "./conversation.ts";
import { type Http2Connection, openHttp2 } from "./http2-connection.ts";
import { Tally } from "./load-report.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "127.0.0.1:9002" },
    tls: { type: "boolean", default: false },
    /** Sends no request before the picker's settings arrive, as gRPC's clients. Default: as Envoy, with the first bytes. */
    late: { type: "boolean", default: false },
    connections: { type: "string", default: "2" },
    "in-flight": { type: "string", default: "32" },
    /** Requests a second; replaces --in-flight. */
    rate: { type: "string" },
    seconds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "1" },
    requests: { type: "string" },
    "prompt-bytes": { type: "string", default: "1024" },
    prompts: { type: "string", default: "64" },
    "body-chunk-bytes": { type: "string", default: "16384" },
    "response-chunks": { type: "string", default: "0" },
    /** Milliseconds between two chunks of a response; 0 sends them at once. */
    "chunk-interval": { type: "string", default: "0" },
    /** Share of the requests that the client cancels, at varying points. */
    "cancel-share": { type: "string", default: "0" },
    model: { type: "string", default: "base-model" },
  },
});

const count = (name: Exclude<keyof typeof values, "tls" | "late">) => {
  const value = Number(values[name]);
  if (!(value >= 0))
    throw new Error(`--${name} is "${values[name]}", a number of 0 or more is due`);
  return value;
};

/** Sends each response's chunks one after the other, on one timer for all. */
class Pacer {
  readonly #intervalMs: number;
  readonly #under = new Map<Conversation, { started: number; sent: number }>();

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
    if (intervalMs > 0) setInterval(() => this.#tick(), 1).unref();
  }

  start(conversation: Conversation): void {
    if (this.#intervalMs === 0) conversation.respond(Number.POSITIVE_INFINITY);
    else this.#under.set(conversation, { started: performance.now(), sent: 0 });
  }

  #tick(): void {
    const now = performance.now();
    for (const [conversation, progress] of this.#under) {
      const due = Math.floor((now - progress.started) / this.#intervalMs) + 1;
      conversation.respond(due - progress.sent);
      progress.sent = due;
      if (conversation.chunksLeft === 0) this.#under.delete(conversation);
    }
  }
}

const [host = "", port = ""] = values.target.split(":");
const script: Script = writeScript(
  {
    promptBytes: count("prompt-bytes"),
    prompts: count("prompts"),
    bodyChunkBytes: count("body-chunk-bytes"),
    responseChunks: count("response-chunks"),
    model: values.model,
  },
  { authority: values.target, tls: values.tls },
);

/** A connection that is opened again after the picker closed it, as a proxy does. */
class Upstream {
  #connection: Promise<Http2Connection> | undefined;

  async connection(): Promise<Http2Connection> {
    const last = this.#connection;
    const usable = (await last?.catch(() => undefined))?.usable === true;
    // Others may have asked meanwhile.
    if (!usable && this.#connection === last) {
      this.#connection = openHttp2(host, Number(port), {
        tls: values.tls,
        waitsForSettings: values.late,
      });
    }
    return this.#connection as Promise<Http2Connection>;
  }
}

const upstreams = Array.from({ length: count("connections") }, () => new Upstream());
const pacer = new Pacer(count("chunk-interval"));
const tally = new Tally();
const cancelShare = count("cancel-share");

const startConversation: StartRequest = async (index, due, ended) => {
  const cancelled = Math.floor((index + 1) * cancelShare) > Math.floor(index * cancelShare);
  const cancelAt = cancelled
    ? cancelPoints[Math.floor(index * cancelShare) % cancelPoints.length]
    : undefined;
  try {
    const connection = await (upstreams[index % upstreams.length] as Upstream).connection();
    const conversation: Conversation = new Conversation(connection, script, index, cancelAt, {
      onPicked: () => tally.latency(performance.now() - due),
      onResponse: () => pacer.start(conversation),
      onCancelled: () => ended({ cancelled: true }),
      onEnd: (failure) => ended({ failure }),
    });
  } catch (error) {
    // Not at once: requests that fail without a picker would only keep this process busy.
    setTimeout(() => ended({ failure: (error as Error).message }), 20);
  }
};

const report = await runLoad(
  {
    inFlight: count("in-flight"),
    rate: values.rate === undefined ? undefined : count("rate"),
    seconds: count("seconds"),
    warmUpSeconds: count("warm-up"),
    requests: values.requests === undefined ? undefined : count("requests"),
  },
  tally,
  startConversation,
  () => console.log("measuring"),
);
console.log(JSON.stringify(report));
process.exit(0);
