import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { RuleGroup } from "../../sdk/plan/observability/service-objectives.ts";
import { findPrograms } from "../../testing/processes/binaries.ts";
import { type RecordedSeries, scrapeSeconds } from "./recorded-series.ts";

/** An alert that fired, and the minute at which it was first seen. */
export interface Fired {
  readonly alert: string;
  readonly severity: string;
  readonly minute: number;
}

const rulesFile = "rules.yaml";

/** Runs `promtool check rules` and returns its output. */
export const checkRules = (groups: readonly RuleGroup[]) =>
  inFolder(groups, async (folder) => {
    const { code, output } = await promtool(folder, ["check", "rules", rulesFile]);
    if (code !== 0) throw new Error(output);
    return output;
  });

/**
 * Evaluates rules over recorded series by `promtool test rules`, and returns the alerts that fire at one of the minutes.
 * Every minute expects no alert, so promtool reports each that fires.
 */
export const firedAlerts = (
  groups: readonly RuleGroup[],
  series: readonly RecordedSeries[],
  minutes: readonly number[],
): Promise<Fired[]> =>
  inFolder(groups, async (folder) => {
    const firing = 'sum by (alertname, severity) (ALERTS{alertstate="firing"})';
    const test = {
      rule_files: [rulesFile],
      evaluation_interval: "30s",
      tests: [
        {
          interval: `${scrapeSeconds}s`,
          input_series: series,
          promql_expr_test: minutes.map((minute) => ({
            expr: firing,
            eval_time: `${Math.round(60 * minute)}s`,
          })),
        },
      ],
    };
    writeFileSync(join(folder, "test.yaml"), stringify(test, { lineWidth: 0 }));
    const { code, output } = await promtool(folder, ["test", "rules", "test.yaml"]);
    const fired = readFired(output);
    if (code !== 0 && fired.length === 0) throw new Error(output);
    return fired;
  });

function readFired(output: string): Fired[] {
  const first = new Map<string, Fired>();
  for (const part of output.split(/(?=expr: )/)) {
    const time = /time: ([^,]+),/.exec(part)?.[1];
    if (time === undefined) continue;
    for (const [, alert, severity] of part.matchAll(/alertname="(\w+)", severity="(\w+)"/g)) {
      const key = `${alert} ${severity}`;
      if (alert === undefined || severity === undefined || first.has(key)) continue;
      first.set(key, { alert, severity, minute: minutesOf(time) });
    }
  }
  return [...first.values()];
}

/** Reads a duration of Prometheus or Go, such as `1h2m30s`. */
const minutesOf = (duration: string): number =>
  [...duration.matchAll(/(\d+)(h|m|s)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * ({ h: 60, m: 1, s: 1 / 60 }[unit ?? "s"] ?? 0),
    0,
  );

async function inFolder<T>(
  groups: readonly RuleGroup[],
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  try {
    writeFileSync(join(folder, rulesFile), stringify({ groups }, { lineWidth: 0 }));
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function promtool(cwd: string, args: readonly string[]) {
  const { promtool } = await findPrograms(["promtool"]);
  return new Promise<{ code: number; output: string }>((resolve) => {
    execFile(promtool, args, { cwd, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}
