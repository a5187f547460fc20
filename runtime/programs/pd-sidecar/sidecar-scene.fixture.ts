import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { newLog } from "../../manager/log.ts";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";
import { decoded, prefilled, RecordingEngine } from "./recording-engine.fixture.ts";
import { startPdSidecar } from "./start.ts";

const log = newLog({ verbosity: -1, write: () => {}, now: Date.now });

/** Starts a sidecar in front of an engine, on free ports. */
export function startSidecar(engine: RecordingEngine, args: readonly string[] = [], env = {}) {
  const invocation = readCommandLine(
    program,
    [
      ...["--port=0", "--metrics-port=0", "--health-port=0", "--secure-proxy=false"],
      ...[`--model-server-host=${engine.host}`, `--model-server-port=${engine.port}`],
      ...["--enable-ssrf-protection=false", ...args],
    ],
    env,
  );
  if (invocation.kind !== "run") throw new Error(JSON.stringify(invocation));
  return startPdSidecar(invocation.options, log);
}

/** A body that parsing and serializing would change: an integer that a double cannot represent, and unusual spaces. */
export const chat =
  '{ "model":"m", "messages":[{"role":"user","content":"hi"}],"seed":12345678901234567890 ,"max_tokens":7}';
export const streamed = chat.replace(
  "{ ",
  '{"stream":true,"stream_options":{"include_usage":true}, ',
);

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A fake prefiller, a fake decoder and the sidecar in front of the decoder. */
export class SidecarScene {
  prefiller!: RecordingEngine;
  decoder!: RecordingEngine;
  sidecar!: Awaited<ReturnType<typeof startPdSidecar>>;

  async start(): Promise<void> {
    this.prefiller = await new RecordingEngine(prefilled).start();
    this.decoder = await new RecordingEngine(decoded).start();
    this.sidecar = await startSidecar(this.decoder);
  }

  async stop(): Promise<void> {
    await Promise.all([this.prefiller.stop(), this.decoder.stop()]);
    await this.sidecar.stop("SIGINT");
  }

  readonly restart = async (args: readonly string[] = [], env = {}): Promise<void> => {
    await this.sidecar.stop("SIGINT");
    this.sidecar = await startSidecar(this.decoder, args, env);
  };

  readonly urlOf = (path: string) => `http://127.0.0.1:${this.sidecar.ports.serving[0]}${path}`;

  readonly named = (address = this.prefiller.address) => ({ "x-prefiller-host-port": address });

  readonly counted = async (series: string): Promise<number> => {
    const { metrics } = this.sidecar.ports;
    const page = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    const line = page.split("\n").find((line) => line.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.split(" ").at(-1));
  };

  readonly locally = (reason: string) =>
    this.counted(`pd_sidecar_local_prefills_total{reason="${reason}"}`);

  readonly send = (
    body: string | Buffer | undefined,
    headers: Record<string, string> = {},
    path = "/v1/chat/completions",
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(
        this.urlOf(path),
        {
          method: body === undefined ? "GET" : "POST",
          headers: {
            ...(body !== undefined && { "content-type": "application/json" }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response
            .on("data", (chunk: Buffer) => chunks.push(chunk))
            .on("end", () =>
              resolve({
                status: response.statusCode as number,
                headers: response.headers,
                text: Buffer.concat(chunks).toString(),
              }),
            )
            .on("error", reject);
        },
      );
      sent.on("error", reject).end(body);
    });
}
