import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { PARALLEL } from "../monitor/monitor.ts";
import { serveMonitor } from "../monitor/server.ts";
import { readProject } from "../project/project.ts";
import type { ProgramContext, RunProgram } from "./program.ts";
import { UndeliveredMessages } from "./undelivered-messages.ts";

/** Exit code of the SDK's runner if it has reported an error itself. */
const REPORTED = 32;

export interface ProcessOptions {
  dir: string;
  /**
   * Variables of the program's environment, in addition to the variables of this process. `undefined` removes a
   * variable.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Runs a project as the CLI does: in a process with the runner of the SDK, which communicates over gRPC. */
export function processProgram({ dir, env }: ProcessOptions): RunProgram {
  return async (context) => {
    const { root, directory, entryPoint, nodeArgs, typescript } = readProject(dir);
    await using server = await serveMonitor(context.monitor, context.engine);
    const child = spawn(
      process.execPath,
      [
        ...nodeArgs,
        runner(directory),
        ...runnerArguments(context, server.address, root, directory),
        entryPoint,
      ],
      {
        cwd: directory,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...programEnvironment(context, typescript), ...env },
      },
    );
    const stop = () => child.kill("SIGKILL");
    process.once("exit", stop);
    try {
      forward(child.stdout, context.print);
      const messages = new UndeliveredMessages(context.print, (severity, message) =>
        context.engine.logUndelivered(severity, message),
      );
      forward(
        child.stderr,
        (text) => messages.push(text),
        () => messages.end(),
      );
      const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
        (resolve, reject) => {
          child.once("error", reject);
          child.once("close", (...end) => resolve(end));
        },
      );
      const isReported = code === REPORTED && context.engine.sawError;
      if (isReported) return [];
      if (code === 0)
        // The SDK registers the stack's outputs last. Without them, resources may be missing.
        return context.monitor.stackOutputs === undefined
          ? [
              "the program ended with exit code 0 before its end, so resources may be missing; it must not call process.exit",
            ]
          : [];
      return [
        `the program ended with ${signal ? `signal ${signal}` : `exit code ${code}`}; its output contains the reason`,
      ];
    } finally {
      process.off("exit", stop);
      stop();
    }
  };
}

/** Returns the runner of the SDK that the program uses, so that the process has only one copy of the SDK. */
function runner(directory: string): string {
  for (const from of [join(directory, "index.js"), import.meta.url]) {
    try {
      return createRequire(from).resolve("@pulumi/pulumi/cmd/run");
    } catch {
      // A program outside any package runs with this package's SDK.
    }
  }
  throw new Error(`@pulumi/pulumi is not installed for ${directory}; run npm install there`);
}

function runnerArguments(
  { project, stack, organization }: ProgramContext,
  address: string,
  root: string,
  directory: string,
): string[] {
  return [
    `--organization=${organization}`,
    `--project=${project}`,
    `--stack=${stack}`,
    `--root-directory=${root}`,
    `--pwd=${directory}`,
    `--parallel=${PARALLEL}`,
    "--dry-run",
    `--monitor=${address}`,
    `--engine=${address}`,
  ];
}

function programEnvironment(
  { config, secretKeys }: ProgramContext,
  typescript: boolean,
): Record<string, string | undefined> {
  return {
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(secretKeys),
    PULUMI_NODEJS_TYPESCRIPT: String(typescript),
    // A program must not find a cluster here, which a run on another machine would not find.
    KUBECONFIG: undefined,
  };
}

/** Forwards whole lines, so that a secret is never split. */
function forward(stream: Readable, emit: (text: string) => void, end = () => {}): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) emit(rest + text.slice(0, end));
    rest = end > 0 ? text.slice(end) : rest + text;
  });
  stream.on("end", () => {
    if (rest !== "") emit(rest);
    end();
  });
}
