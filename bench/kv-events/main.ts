/**
 * What hearing KV events costs: `npm run bench:kv-events`. Engines of another process publish over TCP; this one hears them as
 * the picker does, and its CPU is measured.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { KvEventSubscriptions } from "../../runtime/epp/kv-events/subscriptions.ts";
import { hostPort, newLiveState } from "../../scheduling/endpoint.ts";
import { KvIndex } from "../../scheduling/kv-index/kv-index.ts";

const { values } = parseArgs({
  options: {
    engines: { type: "string", default: "64" },
    blocks: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    port: { type: "string", default: "15557" },
  },
});
const [count, seconds, port] = [values.engines, values.seconds, values.port].map(Number) as [
  number,
  number,
  number,
];

const script = join(import.meta.dirname, "publishers.ts");
const publishers = spawn(process.execPath, [script, values.engines, values.blocks, values.port], {
  stdio: ["ignore", "pipe", "inherit"],
});
await once(publishers.stdout, "data");

let malformed = 0;
const index = new KvIndex({ seed: 1, replays: false });
const subscriptions = new KvEventSubscriptions({
  ...{ index, port, replayPort: undefined, topicFilter: "kv@", random: Math.random },
  observer: {
    received() {},
    malformed: () => {
      malformed += 1;
    },
    disconnected() {},
    replayed() {},
  },
});
const endpoints = Array.from({ length: count }, (_, at) => {
  const ip = `127.1.${(at + 1) >> 8}.${(at + 1) & 255}`;
  const names = {
    id: `e${at}`,
    namespace: "n",
    pod: `e${at}`,
    podUid: `e${at}`,
    rank: 0,
    labels: {},
  };
  return { ...names, ip, port: 8000, address: hostPort(ip, 8000), live: newLiveState() };
});
index.retain(endpoints);
subscriptions.watch(endpoints);
await sleep(3_000);

const messages = () =>
  endpoints.reduce((sum, endpoint) => sum + (index.streams(endpoint)[0]?.counts.messages ?? 0), 0);
const before = { messages: messages(), cpu: process.cpuUsage(), at: performance.now() };
await sleep(seconds * 1_000);
const elapsed = (performance.now() - before.at) / 1_000;
const { user, system } = process.cpuUsage(before.cpu);
const heard = ((messages() - before.messages) / 10) * Number(values.blocks);
const cpu = (user + system) / 1e6;
const gaps = endpoints.reduce(
  (sum, endpoint) => sum + (index.streams(endpoint)[0]?.counts.gaps ?? 0),
  0,
);
console.log(`engines ${count}, blocks kept ${index.size}, gaps ${gaps}, malformed ${malformed}`);
console.log(
  `${Math.round(heard / elapsed)} blocks/s stored and as many removed: ${(cpu / elapsed).toFixed(3)} cores, ${((cpu / heard) * 1e6).toFixed(2)} us a block`,
);
subscriptions.stop();
publishers.kill();
