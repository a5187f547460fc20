import type { z } from "zod";

/** A plugin that the scheduler or the scraper is set up by. */
export interface DataPlugin {
  readonly type: string;
  /** One line for the documentation. */
  readonly summary: string;
  readonly parameters: z.ZodType;
}
