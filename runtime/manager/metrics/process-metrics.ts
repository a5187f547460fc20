import { monitorEventLoopDelay } from "node:perf_hooks";
import { computed, type Family, gauge, type Sample } from "./family.ts";

/** Nanoseconds per second, and the resolution of the event loop delay in ms. */
const nanoseconds = 1e9;
const resolution = 20;

/**
 * The process metrics of Prometheus clients, and the delay of Node's event loop, which is the longest time that a
 * request waits before the process reads it.
 */
export function processMetrics(): Family[] {
  const started = Date.now() / 1000 - process.uptime();
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const counter = (name: string, help: string, read: () => number) =>
    computed("counter", { name, help, labels: [] }, () => [{ labels: [], value: read() }]);
  return [
    counter("process_cpu_seconds_total", "CPU time of user and system.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
    gauge("process_start_time_seconds", "When the process started, since 1970.", () => started),
    gauge(
      "nodejs_heap_size_used_bytes",
      "Memory of JavaScript objects.",
      () => process.memoryUsage().heapUsed,
    ),
    computed(
      "gauge",
      {
        name: "nodejs_eventloop_lag_seconds",
        help: "How late the event loop ran since the last scrape, by quantile.",
        labels: ["quantile"],
      },
      () => {
        const late = (value: number) => Math.max(0, value / nanoseconds - resolution / 1000);
        const samples: Sample[] = [50, 99, 100].map((percentile) => ({
          labels: [String(percentile / 100)],
          value: late(delay.percentile(percentile)),
        }));
        delay.reset();
        return samples;
      },
    ),
  ];
}
