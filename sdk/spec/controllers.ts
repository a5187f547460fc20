import { z } from "zod";
import { resources } from "./role.ts";

/** What the controllers of this project run with. */
export const ControllersSpec = z.strictObject({
  /** Pods of the status controller; one leads, the others stand by. */
  replicas: z.int32().min(0).default(1),
  resources: resources.optional(),
  /** Default: this project's image, of this version. */
  image: z.unknown().optional(),
});

export type ControllersSpec = z.infer<typeof ControllersSpec>;
