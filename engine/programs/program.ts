import type { EventListener } from "../event.ts";
import type { EngineService } from "../monitor/engine-service.ts";
import type { Monitor, Operation } from "../monitor/monitor.ts";

/** The operation's data that a program needs. */
export interface ProgramContext extends Operation {
  monitor: Monitor;
  engine: EngineService;
  emit: EventListener;
}

/** Runs a program to its end. Returns the errors that it did not report itself. */
export type RunProgram = (context: ProgramContext) => Promise<string[]>;
