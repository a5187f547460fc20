import type { EventListener } from "../event.ts";
import type { EngineService } from "../monitor/engine-service.ts";
import type { Monitor, Operation } from "../monitor/monitor.ts";

/** What a program needs to know of the operation it runs in. */
export interface ProgramContext extends Operation {
  monitor: Monitor;
  engine: EngineService;
  emit: EventListener;
}

/** Runs a program to its end; answers the errors that it did not report itself. */
export type RunProgram = (context: ProgramContext) => Promise<string[]>;
