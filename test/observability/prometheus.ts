import { execFile } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { stringify } from "yaml";
import type { RuleGroup } from "../../sdk/plan/observability/service-objectives.ts";
import { findPrograms } from "../../testing/processes/binaries.ts";
import { freePorts } from "../../testing/processes/free-ports.ts";
import { type ServerProcess, startServer } from "../../testing/processes/server-process.ts";
import { type RecordedSeries, scrapeSeconds } from "./recorded-series.ts";

/** A real Prometheus over recorded series. */
export interface RecordedPrometheus {
  /** Runs a query at points between two times, all in seconds. */
  queryRange(expr: string, from: number, to: number, step: number): Promise<Series[]>;
  stop(): Promise<void>;
}

export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  /** Pairs of a time in seconds and a value. */
  readonly values: ReadonlyArray<readonly [time: number, value: string]>;
}

interface Recording {
  readonly series: readonly RecordedSeries[];
  /** Time of the first and of the last value, in seconds. */
  readonly start: number;
  readonly end: number;
  /** Planned groups. The results of their recording rules are added, as if Prometheus had evaluated them in time. */
  readonly groups: readonly RuleGroup[];
}

/** Starts Prometheus on a recording. Rules that read other rules must be in a later group. */
export async function startPrometheus(recording: Recording): Promise<RecordedPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), "prometheus-"));
  const { promtool, prometheus } = await findPrograms(["promtool", "prometheus"]);
  const data = join(folder, "data");
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const run = (args: readonly string[]) =>
    promisify(execFile)(promtool, args, { cwd: folder, maxBuffer: 2 ** 26 });
  writeFileSync(join(folder, "prometheus.yml"), "{}\n");
  await writeOpenMetrics(join(folder, "series.txt"), recording);
  await run(["tsdb", "create-blocks-from", "openmetrics", "--quiet", "series.txt", data]);
  let server = await startOn(prometheus, folder, url);
  for (const { name, rules, interval } of recording.groups) {
    const recordings = rules.filter(({ record }) => record !== undefined);
    if (recordings.length === 0) continue;
    const file = `${name}.yaml`;
    writeFileSync(
      join(folder, file),
      stringify({ groups: [{ name, interval, rules: recordings }] }),
    );
    const times = ["--start", String(recording.start), "--end", String(recording.end)];
    await run([
      ...["tsdb", "create-blocks-from", "rules", "--url", url, ...times],
      ...["--eval-interval", interval, "--output-dir", data, file],
    ]);
    // Prometheus finds new blocks when it starts.
    await server.stop();
    server = await startOn(prometheus, folder, url);
  }
  return {
    async queryRange(expr, from, to, step) {
      const query = new URLSearchParams({
        query: expr,
        ...{ start: String(from), end: String(to), step: String(step) },
      });
      const response = await fetch(`${url}/api/v1/query_range?${query}`);
      const body = (await response.json()) as { error?: string; data: { result: Series[] } };
      if (!response.ok) throw new Error(`Prometheus rejects "${expr}": ${body.error}`);
      return body.data.result;
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startOn(file: string, folder: string, url: string): Promise<ServerProcess> {
  const server = startServer("prometheus", file, [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    "--storage.tsdb.retention.time=100y",
    `--web.listen-address=${new URL(url).host}`,
  ]);
  const deadline = Date.now() + 60_000;
  while (!(await isReady(url))) {
    if (server.ended() !== undefined || Date.now() > deadline)
      throw new Error(`Prometheus does not get ready: ${server.ended()}\n${server.log()}`);
    await sleep(50);
  }
  return server;
}

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/-/ready`)).ok;
  } catch {
    return false;
  }
};

/** Writes the values with their times, one series after the other. */
async function writeOpenMetrics(file: string, { series, start }: Recording): Promise<void> {
  const stream = createWriteStream(file);
  for (const { series: name, values } of series) {
    const lines = values
      .split(" ")
      .flatMap((value, at) =>
        value === "_" || value === "stale"
          ? []
          : [`${name} ${value} ${start + at * scrapeSeconds}\n`],
      );
    if (!stream.write(lines.join(""))) await once(stream, "drain");
  }
  stream.end("# EOF\n");
  await finished(stream);
}
