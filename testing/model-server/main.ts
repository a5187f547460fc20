import { parseArgs } from "node:util";
import { startModelServer } from "./model-server.ts";

/**
 * `node main.ts --count 4 --ip 127.0.1.1 --port 8000`: simulated model servers in a process of their own, on addresses
 * that follow the first. Prints one line of JSON with the addresses; ends with SIGTERM or with its stdin.
 */
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1" },
    ip: { type: "string", default: "127.0.1.1" },
    port: { type: "string", default: "8000" },
    options: { type: "string", default: "{}" },
  },
});
const [a, b, c, d] = values.ip.split(".").map(Number) as [number, number, number, number];
const servers = await Promise.all(
  Array.from({ length: Number(values.count) }, (_, at) => {
    const host = d + at;
    const ip = `${a}.${b}.${c + Math.floor(host / 256)}.${host % 256}`;
    return startModelServer({ ...JSON.parse(values.options), ip, port: Number(values.port) });
  }),
);
console.log(JSON.stringify({ addresses: servers.map(({ address }) => address) }));
const stop = () => process.exit(0);
process.on("SIGTERM", stop);
process.stdin.on("end", stop).resume();
