import { apiServerTargets } from "./api-server.ts";
import { bodyTargets } from "./bodies.ts";
import { hookTargets } from "./hooks.ts";
import { pageTargets } from "./pages.ts";
import { registryTargets } from "./registries.ts";
import { rolloutTargets } from "./rollouts.ts";
import { streamTargets } from "./streams.ts";
import type { Target } from "./target.ts";
import { writtenTargets } from "./written.ts";

/** Every reader of external input. */
export const targets: readonly Target[] = [
  ...streamTargets,
  ...bodyTargets,
  ...pageTargets,
  ...apiServerTargets,
  ...rolloutTargets,
  ...hookTargets,
  ...registryTargets,
  ...writtenTargets,
];
