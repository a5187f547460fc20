import type { EngineService } from "../monitor/engine-service.ts";
import type { Monitor, RunSettings } from "../monitor/monitor.ts";

/** Settings and services of a run. */
export interface ProgramContext extends RunSettings {
  monitor: Monitor;
  engine: EngineService;
  /** Receives the output of a program in a process of its own, in whole lines. */
  print: (text: string) => void;
}

/** Runs a program to its end. Returns the errors that it did not report itself. */
export type RunProgram = (context: ProgramContext) => Promise<string[]>;
