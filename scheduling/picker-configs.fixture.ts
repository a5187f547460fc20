import { type BuildOptions, buildScheduler } from "./build.ts";
import type { PickerConfig } from "./config/picker-config.ts";
import { withHeading } from "./config/problems-of.fixture.ts";
import { loadPickerConfig } from "./config/read.ts";
import type { Scheduler } from "./profiles/scheduler.ts";

/** Configurations for tests, as YAML, and the schedulers built from them. */

export interface BuiltConfig {
  readonly scheduler: Scheduler;
  readonly metrics: PickerConfig["metrics"];
  readonly warnings: readonly string[];
}

/** Adds the heading to a configuration, loads it and builds its scheduler. */
export const built = (body: string): BuiltConfig => builtText(withHeading(body));

export function builtText(text: string, options: BuildOptions = {}): BuiltConfig {
  const { config, warnings } = loadPickerConfig(text, "picker.yaml");
  const scheduler = buildScheduler(config, options);
  return { scheduler, metrics: config.metrics, warnings };
}
