import type { z } from "zod";

/** A plugin that configures the scheduler or the scraper. */
export interface DataPlugin {
  readonly type: string;
  /** One line for the documentation. */
  readonly summary: string;
  readonly parameters: z.ZodType;
}
