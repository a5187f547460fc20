import { exitCode, UsageError } from "../exit-code.ts";
import type { ReadingOptions } from "../options.ts";
import { type Colour, coloured } from "../output/colours.ts";
import { formatReading, readingFormats } from "../output/print.ts";
import type { Output, Terminal } from "../terminal.ts";
import { type ApiReader, apiReader } from "./api-reader.ts";
import { type CheckResult, type Level, ok } from "./check-result.ts";
import { diagnose } from "./diagnose.ts";
import { fixScript } from "./fix-commands.ts";
import { loadKubeconfig, namespaceOf } from "./kubeconfig.ts";
import { observe } from "./observe.ts";

export interface DoctorOptions extends ReadingOptions {
  /** Whether to print the fixes as a shell script instead of the findings. */
  fix?: boolean;
}

/** Checks a cluster and prints the findings. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  if (options.fix === true && options.format !== readingFormats[0])
    throw new UsageError(
      `--fix prints a shell script; leave out --format ${options.format}, whose output contains each fix`,
    );
  const config = loadKubeconfig(options);
  const findings = await examine(apiReader(config), namespaceOf(config, options));
  if (options.fix === true) {
    terminal.out.write(fixScript(findings));
    return codeOf(findings);
  }
  terminal.out.write(
    formatReading(options.format, findings, () => reportOf(findings, terminal.out)),
  );
  return codeOf(findings);
}

const codeOf = (findings: readonly CheckResult[]): number =>
  findings.some(({ level }) => level === "error") ? exitCode.problems : exitCode.ok;

async function examine(api: ApiReader, namespace: string): Promise<CheckResult[]> {
  const version = await api.get<{ gitVersion?: string }>("/version");
  const { gitVersion = "" } = version.state === "seen" ? version.value : {};
  const title = `the API server answers ${gitVersion}`.trim();
  return [ok("api-server", title), ...diagnose(await observe(api, namespace))];
}

const colours: Record<Level, Colour> = {
  ok: "green",
  warning: "yellow",
  error: "red",
  unknown: "grey",
};

function reportOf(findings: readonly CheckResult[], out: Output): string {
  const lines = findings.flatMap(({ level, title, seen, fix }) => [
    `${coloured(out, colours[level], level.padEnd(7))}  ${title}`,
    ...(seen === undefined ? [] : [`         ${seen}`]),
    ...(fix === undefined ? [] : [`         fix: ${fix}`]),
  ]);
  return [...lines, "", summaryOf(findings), ""].join("\n");
}

function summaryOf(findings: readonly CheckResult[]): string {
  const counts = (["error", "warning", "unknown", "ok"] as const)
    .map((level) => ({ level, count: findings.filter((each) => each.level === level).length }))
    .filter(({ count }) => count > 0);
  return counts.map(({ level, count }) => `${count} ${level}`).join(", ");
}
