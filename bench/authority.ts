import { type ClientHttp2Session, connect } from "node:http2";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { GrpcServer } from "../runtime/manager/grpc/grpc-server.ts";
import { readMessage, respondWith } from "../runtime/manager/grpc/unary.ts";

/**
 * Cost of the corrected authorities of Istio's gateways: calls of 2 KiB over one connection to a gRPC server, whose
 * authority is either valid or the authority that Istio sends. Pairs of runs, in alternating order, with the client in
 * a thread of its own.
 */

const path = "/bench/Echo";
const inFlight = 32;
const calls = 20_000;
const pairs = 7;
const authorities = {
  valid: "chat-epp.default.svc.cluster.local:9002",
  istio: "outbound|9002||chat-epp.default.svc.cluster.local",
};
type Kind = keyof typeof authorities;

interface Measured {
  readonly milliseconds: number;
  /** Seconds of the server's thread. */
  readonly p50: number;
  readonly p99: number;
}

if (isMainThread) {
  const server = new GrpcServer({
    [path]: (stream) => readMessage(stream, 8_192, (message) => respondWith(stream, message)),
  });
  const port = await server.listen(0, "127.0.0.1");
  const results: Record<Kind, Array<Measured & { cpu: number }>> = { valid: [], istio: [] };
  for (let pair = 0; pair <= pairs; pair++)
    for (const kind of pair % 2 === 0
      ? (["valid", "istio"] as const)
      : (["istio", "valid"] as const)) {
      const before = process.threadCpuUsage();
      const measured = await runClient(port, kind);
      const { user, system } = process.threadCpuUsage(before);
      // The first pair warms up.
      if (pair > 0) results[kind].push({ ...measured, cpu: (user + system) / calls });
    }
  server.abort();
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  for (const field of ["cpu", "p50", "p99"] as const) {
    const of = (kind: Kind) => median(results[kind].map((each) => each[field]));
    const [valid, istio] = [of("valid"), of("istio")];
    const unit = field === "cpu" ? "µs of the server's thread per call" : "ms";
    console.log(
      `${field.padEnd(4)} ${valid.toFixed(3)} with a valid authority, ${istio.toFixed(3)} with Istio's (${unit}): ${(istio / valid).toFixed(2)}`,
    );
  }
} else {
  const { port, kind } = workerData as { port: number; kind: Kind };
  const session = connect(`http://127.0.0.1:${port}`);
  parentPort?.postMessage(await measure(session, authorities[kind]));
  session.close();
}

function runClient(port: number, kind: Kind): Promise<Measured> {
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData: { port, kind },
    execArgv: ["--conditions=source"],
  });
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}

async function measure(session: ClientHttp2Session, authority: string): Promise<Measured> {
  const message = Buffer.alloc(2_048);
  const frame = Buffer.concat([
    Buffer.from([0, 0, 0, message.length >> 8, message.length & 255]),
    message,
  ]);
  const times: number[] = [];
  const call = () =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        ":authority": authority,
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.on("data", () => {});
      stream.once("error", reject);
      stream.once("end", () => {
        times.push(performance.now() - start);
        resolve();
      });
      stream.end(frame);
    });
  const start = performance.now();
  let left = calls;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await call();
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { milliseconds: performance.now() - start, p50: at(0.5), p99: at(0.99) };
}
