import type { LiveTraffic } from "../../testing/traffic/live-traffic.ts";

/** Returns the pool's metrics from the page of the only picker, by names without `inference_pool_`. */
export async function poolMetrics({ pickers }: LiveTraffic): Promise<Record<string, number>> {
  const [picker] = pickers.values();
  const page = await (await fetch(`http://127.0.0.1:${picker?.ports.metrics}/metrics`)).text();
  const lines = [...page.matchAll(/^inference_pool_([a-z_]+)\{[^}]*\} (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name = "", value]) => [name, Number(value)]));
}
