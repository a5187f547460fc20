import type { EventListener } from "../event.ts";
import type { EngineService } from "../monitor/engine-service.ts";
import type { Monitor } from "../monitor/monitor.ts";

/** What a program needs to know of the operation it runs in. */
export interface ProgramContext {
  project: string;
  stack: string;
  organization: string;
  preview: boolean;
  parallel: number;
  config: Readonly<Record<string, string>>;
  secretKeys: readonly string[];
  monitor: Monitor;
  engine: EngineService;
  emit: EventListener;
}

/** Runs a program to its end; answers the errors that it did not report itself. */
export type RunProgram = (context: ProgramContext) => Promise<string[]>;
